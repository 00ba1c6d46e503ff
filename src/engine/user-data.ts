import type { UserDataChange } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { UserDataRecord } from '../core/records.ts';
import { appendEvent } from '../store/event-rows.ts';
import type { Script } from '../store/script.ts';
import { listUserData, setUserData } from '../store/user-data-rows.ts';
import { needWorkflow, takeWorkflow } from './needed-rows.ts';

export function* userDataOf(workflowId: number): Script<UserDataRecord[]> {
  yield* needWorkflow(workflowId);
  return (yield* listUserData(workflowId)).map(({ name, data, is_ephemeral }) => ({
    workflow_id: workflowId,
    name,
    data: data === null ? null : JSON.parse(data),
    is_ephemeral: is_ephemeral === 1,
  }));
}

/** Somebody sets a value; jobs that start from now on see it. */
export function* changeUserData(
  workflowId: number,
  name: string,
  { data, actor }: UserDataChange,
  now: number,
): Script<UserDataRecord> {
  const workflow = yield* takeWorkflow(workflowId);
  const known = (yield* listUserData(workflowId)).some((row) => row.name === name);
  if (!known) throw new HoldfastError('USER_DATA_NOT_FOUND', { workflow: workflowId, name });
  yield* setUserData(workflowId, name, data);
  yield* appendEvent({
    workflow_id: workflowId,
    run_id: workflow.run_id,
    at: now,
    type: 'user_data_set',
    actor,
    data: { name },
  });
  return (yield* userDataOf(workflowId)).find((record) => record.name === name)!;
}
