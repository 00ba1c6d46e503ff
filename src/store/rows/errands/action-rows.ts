import { ACTION_TIMEOUT_MS, type ActionModel, type ActionTrigger } from '../../../core/model/action.ts';
import { inParts, valueRows } from '../../many-rows.ts';
import { all, changeOne, first, insert, run, type Script } from '../../script.ts';
import { FAILED_JOB } from '../jobs/job-rows.ts';

// The errand of an action without `started_at` waits for its moment on its worker, one of those that take part in the
// run, or, without a worker, has been ordered at the end of the run and waits for any.

export function* insertAction(workflowId: number, action: Omit<ActionModel, 'jobs'>): Script<number> {
  return yield* insert(
    'insert into action (workflow_id, trigger_type, persistent, commands, schedule) values (?, ?, ?, ?, ?)',
    workflowId,
    action.trigger,
    action.persistent ? 1 : 0,
    JSON.stringify(action.commands),
    action.schedule === undefined ? null : JSON.stringify(action.schedule),
  );
}

/** Jobs that actions watch. */
export function* insertWatched(links: readonly { action_id: number; job_id: number }[]): Script<void> {
  for (const part of inParts(links)) {
    const { sql, values } = valueRows(part.map(({ action_id, job_id }) => [action_id, job_id]));
    yield* run(`insert into action_job (action_id, job_id) ${sql}`, ...values);
  }
}

export interface ActionRow {
  id: number;
  trigger_type: ActionTrigger;
  persistent: number;
  commands: string;
  /** Jobs it watches that are still blocked, that have not ended, and that were neither canceled nor disabled. */
  blocked: number;
  open: number;
  able: number;
}

/** An action that orders allocations. */
export interface ScheduleActionRow extends ActionRow {
  /** In JSON. */
  schedule: string;
  /** How many jobs it watches; 0: all of the workflow. */
  watches: number;
}

const WORKER_TRIGGERS = `('on_worker_start', 'on_worker_complete')`;

const INSERT =
  'insert into errand (workflow_id, run_id, kind, holder, action_id, worker_id, ordered_at, started_at, timeout_ms)';

/** The worker takes part in the run: it has to do what every worker does. */
export function* enrolWorker(workflowId: number, runId: number, workerId: number, now: number): Script<void> {
  yield* run(
    `${INSERT} select action.workflow_id, cast(? as bigint), 'action', 'worker', action.id, cast(? as bigint),
       cast(? as bigint), null, ${ACTION_TIMEOUT_MS} from action where action.workflow_id = ?
       and action.removed = 0 and action.schedule is null and (action.persistent = 1 or (action.trigger_type in ${WORKER_TRIGGERS} and not exists (
         select 1 from errand as begun where begun.action_id = action.id and begun.run_id = ?
           and begun.started_at is not null)))
       and not exists (select 1 from errand as own where own.action_id = action.id and own.run_id = ?
         and own.worker_id = ?)`,
    runId,
    workerId,
    now,
    workflowId,
    runId,
    runId,
    workerId,
  );
}

const watched = (statuses: string) => `(select count(*) from action_job join job on job.id = action_job.job_id
    where action_job.action_id = action.id and job.status in (${statuses}))`;
const WATCHED = `${watched('0, 1')} as blocked, ${watched('0, 1, 2, 3, 4, 10')} as open,
  ${watched('2, 3, 4, 5, 6, 8, 10')} as able`;

/** Actions that order allocations. */
export function* listScheduleActions(workflowId: number): Script<ScheduleActionRow[]> {
  return yield* all<ScheduleActionRow>(
    `select action.id, action.trigger_type, action.persistent, action.commands, action.schedule, ${WATCHED},
       (select count(*) from action_job where action_job.action_id = action.id) as watches
     from action where workflow_id = ? and removed = 0 and schedule is not null order by action.id`,
    workflowId,
  );
}

/** Actions of the run that this worker may begin when their moment comes. */
export function* listPendingActions(
  workflowId: number,
  runId: number,
  workerId: number,
): Script<ActionRow[]> {
  return yield* all<ActionRow>(
    `select action.id, action.trigger_type, action.persistent, action.commands, ${WATCHED}
     from action where workflow_id = ? and removed = 0 and schedule is null and (
       exists (select 1 from errand where errand.action_id = action.id and errand.run_id = ?
         and errand.worker_id = ? and errand.started_at is null)
       or (action.trigger_type not in ${WORKER_TRIGGERS} and not exists (
         select 1 from errand where errand.action_id = action.id and errand.run_id = ?
           and errand.started_at is not null))
     ) order by action.id`,
    workflowId,
    runId,
    workerId,
    runId,
  );
}

/** Actions of the run that have not begun, with the worker that has to run them; null: any worker may. */
export function* listUnbegunActions(
  workflowId: number,
  runId: number,
): Script<(ActionRow & { worker_id: number | null })[]> {
  const columns = `action.id, action.trigger_type, action.persistent, action.commands, ${WATCHED}`;
  return yield* all<ActionRow & { worker_id: number | null }>(
    `select ${columns}, errand.worker_id from errand join action on action.id = errand.action_id
     where errand.workflow_id = ? and errand.run_id = ? and errand.finished_at is null and errand.started_at is null
       and errand.kind = 'action' and errand.worker_id is not null and action.removed = 0 and action.schedule is null
     union all select ${columns}, null from action where workflow_id = ? and removed = 0 and schedule is null
       and trigger_type not in ${WORKER_TRIGGERS} and not exists (
         select 1 from errand where errand.action_id = action.id and errand.run_id = ?
           and errand.started_at is not null)`,
    workflowId,
    runId,
    workflowId,
    runId,
  );
}

/** Written before the commands run: whatever happens then, they do not run again. Returns the id of the errand. */
export function* startAction(
  { id, persistent }: Pick<ActionRow, 'id' | 'persistent'>,
  { workflowId, runId, workerId }: { workflowId: number; runId: number; workerId: number },
  now: number,
): Script<number> {
  const ordered = yield* first<{ id: number }>(
    `select id from errand where action_id = ? and run_id = ? and (worker_id = ? or worker_id is null)
       and started_at is null order by case when worker_id is null then 1 else 0 end, id limit 1`,
    id,
    runId,
    workerId,
  );
  const errand =
    ordered?.id ??
    (yield* insert(
      `${INSERT} values (?, ?, 'action', 'worker', ?, ?, ?, null, ${ACTION_TIMEOUT_MS})`,
      workflowId,
      runId,
      id,
      workerId,
      now,
    ));
  yield* changeOne(
    'update errand set worker_id = ?, started_at = ? where id = ? and started_at is null',
    workerId,
    now,
    errand,
  );
  // One that runs once is begun for all; one for every worker has nothing left to order for others.
  yield* run(
    `delete from errand where action_id = ? and run_id = ? and started_at is null
       ${persistent === 0 ? '' : 'and worker_id is null'}`,
    id,
    runId,
  );
  return errand;
}

/** A worker that is gone does nothing more. */
export function* dropOwedActions(workerId: number): Script<void> {
  yield* run(
    `delete from errand where worker_id = ? and finished_at is null and started_at is null and kind = 'action'`,
    workerId,
  );
}

/** The run is complete: its actions are due that have not begun. */
export function* orderEndActions(
  workflowId: number,
  runId: number,
  failed: boolean,
  now: number,
): Script<void> {
  const triggers = ['on_workflow_complete', 'on_jobs_complete', ...(failed ? ['on_workflow_failure'] : [])];
  yield* run(
    `${INSERT} select action.workflow_id, cast(? as bigint), 'action', 'worker', action.id, null,
       cast(? as bigint), null, ${ACTION_TIMEOUT_MS} from action where action.workflow_id = ?
       and action.removed = 0 and action.schedule is null and action.trigger_type in (${triggers.map((trigger) => `'${trigger}'`).join(', ')})
       and not exists (select 1 from errand where errand.action_id = action.id and errand.run_id = ?
         and (errand.started_at is not null or errand.worker_id is null))`,
    runId,
    now,
    workflowId,
    runId,
  );
}

/** The run is not complete any more, or is over: what has not begun is not due. */
export function* withdrawEndActions(workflowId: number, runId: number): Script<void> {
  yield* run(
    `delete from errand where workflow_id = ? and run_id = ? and finished_at is null and started_at is null
       and kind = 'action' and worker_id is null`,
    workflowId,
    runId,
  );
}

/** Whether a complete run has actions that have not begun; `workflow` is the table that this is asked about. */
export const HAS_UNDONE_ACTIONS = `exists (select 1 from errand join action on action.id = errand.action_id
    where errand.workflow_id = workflow.id and errand.finished_at is null and errand.run_id = workflow.run_id
      and errand.started_at is null and (errand.worker_id is null
        or action.trigger_type in ('on_worker_complete', 'on_workflow_complete', 'on_jobs_complete')
        or (action.trigger_type = 'on_workflow_failure' and exists (
          select 1 from job where job.workflow_id = workflow.id and ${FAILED_JOB}))))`;

/** How many actions of a complete run any worker may begin now. */
export function* countUndoneActions(workflowId: number, runId: number): Script<number> {
  const row = yield* first<{ count: number }>(
    `select count(*) as count from errand where workflow_id = ? and run_id = ? and finished_at is null
       and kind = 'action' and started_at is null and worker_id is null`,
    workflowId,
    runId,
  );
  return row!.count;
}

/** What starts an action. */
export function* findTrigger(actionId: number): Script<ActionTrigger> {
  const row = yield* first<{ trigger_type: ActionTrigger }>(
    'select trigger_type from action where id = ?',
    actionId,
  );
  return row!.trigger_type;
}
