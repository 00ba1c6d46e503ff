import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script } from '../../script.ts';

export interface AttemptTimesRow {
  token: number;
  claimed_at: number;
  finished_at: number | null;
  run_created_at: number;
  dependency_set_id: number | null;
  /** When an earlier attempt of the job in this run ended; null: it is the first. */
  previous_at: number | null;
  /** null: it is not decided. */
  decided_at: number | null;
}

/** Events that close an attempt. */
export const CLOSING_EVENTS = `('completed', 'retry', 'requeue', 'failure', 'cancel', 'ask', 'abort', 'goto', 'loop_abort', 'supersede', 'disable')`;

/** When attempts were claimed, ended and decided. */
export function* listAttemptTimes(tokens: readonly number[]): Script<AttemptTimesRow[]> {
  const found: AttemptTimesRow[] = [];
  for (const list of idLists(tokens)) {
    const rows = yield* all<AttemptTimesRow>(
      `select attempt.id as token, attempt.claimed_at, attempt.finished_at, run.created_at as run_created_at,
         job.dependency_set_id,
         (select max(earlier.finished_at) from attempt as earlier where earlier.job_id = attempt.job_id
            and earlier.run_id = attempt.run_id and earlier.id < attempt.id) as previous_at,
         (select min(event.at) from event where event.job_id = attempt.job_id and event.run_id = attempt.run_id
            and event.attempt_id = attempt.attempt_id and event.at >= attempt.claimed_at
            and event.type in ${CLOSING_EVENTS}) as decided_at
       from attempt join job on job.id = attempt.job_id
       join run on run.workflow_id = attempt.workflow_id and run.run_id = attempt.run_id
       where attempt.id in ${placeholders(list.length)}`,
      ...list,
    );
    found.push(...rows);
  }
  return found;
}

/** When the last of the jobs in each set ended, by the set. */
export function* listSetEnds(sets: readonly number[]): Script<Map<number, number>> {
  const ends = new Map<number, number>();
  for (const list of idLists(sets)) {
    const rows = yield* all<{ set_id: number; ended_at: number }>(
      `select dependency_member.set_id, max(attempt.finished_at) as ended_at from dependency_member
       join attempt on attempt.job_id = dependency_member.job_id
       where attempt.finished_at is not null and dependency_member.set_id in ${placeholders(list.length)}
       group by dependency_member.set_id`,
      ...list,
    );
    for (const { set_id, ended_at } of rows) ends.set(set_id, ended_at);
  }
  return ends;
}

/** Jobs of workflows whose runs are open, by status. */
export function* countOpenJobs(): Script<{ status: number; count: number }[]> {
  return yield* all<{ status: number; count: number }>(
    `select job.status, count(*) as count from job where job.blueprint < 2 and job.workflow_id in (
       select run.workflow_id from run join workflow on workflow.id = run.workflow_id
       where run.finished_at is null and workflow.storing_until is null) group by job.status`,
  );
}
