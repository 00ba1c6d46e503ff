import type { ActionModel, ActionTrigger } from '../core/action.ts';
import type { Outcome } from '../core/outcome.ts';
import { all, insert, run, type Script } from './script.ts';

export function* insertAction(workflowId: number, action: ActionModel, jobIds: number[]): Script<void> {
  const id = yield* insert(
    'insert into action (workflow_id, trigger_type, commands) values (?, ?, ?)',
    workflowId,
    action.trigger,
    JSON.stringify(action.commands),
  );
  for (const jobId of jobIds) {
    yield* run('insert into action_job (action_id, job_id) values (?, ?)', id, jobId);
  }
}

export interface ActionRow {
  id: number;
  trigger_type: ActionTrigger;
  commands: string;
  /** Jobs it watches that are still blocked, and that have not ended. */
  blocked: number;
  open: number;
}

const WORKER_TRIGGERS = `('on_worker_start', 'on_worker_complete')`;

/** Actions of the run that have not happened; those about workers have not happened for this worker. */
export function* listPendingActions(
  workflowId: number,
  runId: number,
  workerId: number,
): Script<ActionRow[]> {
  const watched = (
    statuses: string,
  ) => `(select count(*) from action_job join job on job.id = action_job.job_id
    where action_job.action_id = action.id and job.status in (${statuses}))`;
  return yield* all<ActionRow>(
    `select action.id, action.trigger_type, action.commands, ${watched('0, 1')} as blocked,
      ${watched('0, 1, 2, 3, 4, 10')} as open
     from action where workflow_id = ? and not exists (
       select 1 from action_run where action_run.action_id = action.id and action_run.run_id = ?
         and (action_run.worker_id = ? or action.trigger_type not in ${WORKER_TRIGGERS})
     ) order by action.id`,
    workflowId,
    runId,
    workerId,
  );
}

/** Written before the commands run: whatever happens then, they do not run again. */
export function* claimAction(actionId: number, runId: number, workerId: number, now: number): Script<void> {
  yield* run(
    'insert into action_run (action_id, run_id, worker_id, claimed_at) values (?, ?, ?, ?)',
    actionId,
    runId,
    workerId,
    now,
  );
}

export interface ActionRunRow {
  action_id: number;
  workflow_id: number;
  run_id: number;
  trigger_type: ActionTrigger;
}

const OPEN_RUNS = `select action_run.action_id, action.workflow_id, action_run.run_id, action.trigger_type
  from action_run join action on action.id = action_run.action_id
  where action_run.finished_at is null and action_run.worker_id = ?`;

/** Actions that the worker has begun and not reported. */
export function* listHeldActions(workerId: number): Script<ActionRunRow[]> {
  return yield* all<ActionRunRow>(`${OPEN_RUNS} order by action_run.action_id`, workerId);
}

export function* finishAction(
  begun: ActionRunRow,
  workerId: number,
  outcome: Outcome,
  now: number,
): Script<void> {
  yield* run(
    `update action_run set finished_at = ?, outcome = ?
     where action_id = ? and run_id = ? and worker_id = ? and finished_at is null`,
    now,
    JSON.stringify(outcome),
    begun.action_id,
    begun.run_id,
    workerId,
  );
}
