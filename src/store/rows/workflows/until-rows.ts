import { idLists } from '../../many-rows.ts';
import { all, change, changeAll, first, placeholders, run, type Script } from '../../script.ts';

export interface UntilRow {
  id: number;
  name: string;
  scope: string;
  on_call: number;
  blueprint: number;
  dependency_set_id: number | null;
  config: string;
}

/** Jobs that can be held back, those that stand for items included. */
export function* listUntilRows(workflowId: number): Script<UntilRow[]> {
  return yield* all<UntilRow>(
    `select id, name, scope, on_call, blueprint, dependency_set_id, config from job
     where workflow_id = ? and blueprint < 3 order by id`,
    workflowId,
  );
}

/** What the run is to end at; null: at the end of everything. */
export function* setUntil(workflowId: number, until: readonly string[] | null): Script<void> {
  const text = until === null ? null : JSON.stringify(until);
  yield* change('update workflow set until = ? where id = ?', text, workflowId);
}

/** These jobs are held back, and no others. The time within which the others have to be scheduled begins. */
export function* writeHeld(workflowId: number, jobIds: readonly number[], now: number): Script<void> {
  yield* run(
    `update job set held = 0, waiting_until = case
       when status = 2 and waiting_for is null and waiting_until is not null then ? + scheduling_timeout
       else waiting_until end
     where workflow_id = ? and held = 1`,
    now,
    workflowId,
  );
  let left = jobIds.length;
  for (const list of idLists(jobIds)) {
    const count = Math.min(left, list.length);
    left -= count;
    yield* changeAll(count, `update job set held = 1 where id in ${placeholders(list.length)}`, ...list);
  }
}

/** Jobs that are held back, and how many of them are in some statuses; a job that serves a call is not. */
export interface HeldCounts {
  jobs: number;
  ready: number;
  pending_failed: number;
}

/** `status + 0` keeps the databases off the status index: mostly no job is held back, and its own index is empty. */
export function* countHeld(workflowId: number): Script<HeldCounts> {
  const row = yield* first<HeldCounts>(
    `select count(*) as jobs, coalesce(sum(case when status = 2 then 1 else 0 end), 0) as ready,
       coalesce(sum(case when status = 10 then 1 else 0 end), 0) as pending_failed
     from job where workflow_id = ? and held = 1 and status + 0 in (0, 1, 2, 10) and serves is null and blueprint < 2`,
    workflowId,
  );
  const { jobs, ready, pending_failed } = row!;
  return { jobs: Number(jobs), ready: Number(ready), pending_failed: Number(pending_failed) };
}

/** Whether the job is held back. */
export function* isHeld(jobId: number): Script<boolean> {
  const row = yield* first('select 1 as held from job where id = ? and held = 1 and serves is null', jobId);
  return row !== undefined;
}
