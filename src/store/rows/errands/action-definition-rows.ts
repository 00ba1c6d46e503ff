import type { ActionTrigger } from '../../../core/model/action.ts';
import { all, changeOne, run, type Script } from '../../script.ts';

/** An action as it was written. */
export interface DefinedAction {
  id: number;
  trigger_type: ActionTrigger;
  persistent: number;
  commands: string;
  schedule: string | null;
}

export function* listActions(workflowId: number): Script<DefinedAction[]> {
  return yield* all<DefinedAction>(
    `select id, trigger_type, persistent, commands, schedule from action
     where workflow_id = ? and removed = 0 order by id`,
    workflowId,
  );
}

export function* listWatched(workflowId: number): Script<{ action_id: number; job_id: number }[]> {
  return yield* all<{ action_id: number; job_id: number }>(
    `select action_id, job_id from action_job join action on action.id = action_id where workflow_id = ?
     order by action_id, job_id`,
    workflowId,
  );
}

/** It is not begun any more; what has begun ends. */
export function* removeAction(actionId: number): Script<void> {
  yield* run('delete from errand where action_id = ? and started_at is null', actionId);
  yield* run('delete from action_job where action_id = ?', actionId);
  yield* changeOne('update action set removed = 1 where id = ?', actionId);
}
