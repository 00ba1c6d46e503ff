import type { PageQuery, UserDataChange } from '../../contract/engine.ts';
import type { Page, UserDataRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import {
  findUserData,
  listUserData,
  setUserData,
  type UserDataRow,
} from '../../store/rows/workflows/user-data-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow, takeWorkflow } from '../records/needed-rows.ts';
import { readPage } from '../records/page.ts';

export function* userDataPage(workflowId: number, query: PageQuery): Script<Page<UserDataRecord>> {
  yield* needWorkflow(workflowId);
  return yield* readPage(
    query,
    0,
    (after, limit) => listUserData(workflowId, after, limit),
    (row) => record(workflowId, row),
    (row) => row.id,
  );
}

function record(workflowId: number, { name, data, is_ephemeral }: UserDataRow): UserDataRecord {
  return {
    workflow_id: workflowId,
    name,
    data: data === null ? null : JSON.parse(data),
    is_ephemeral: is_ephemeral === 1,
  };
}

/** Sets a value; jobs that start from now on see it. */
export function* changeUserData(
  workflowId: number,
  name: string,
  { data, actor }: UserDataChange,
  now: number,
): Script<UserDataRecord> {
  const workflow = yield* takeWorkflow(workflowId);
  if ((yield* findUserData(workflowId, name)) === undefined)
    throw new HoldfastError('USER_DATA_NOT_FOUND', { workflow: workflowId, name });
  yield* setUserData(workflowId, name, data ?? null);
  yield* appendEvent({
    workflow_id: workflowId,
    run_id: workflow.run_id,
    at: now,
    type: 'user_data_set',
    actor,
    data: { name },
  });
  return record(workflowId, (yield* findUserData(workflowId, name))!);
}
