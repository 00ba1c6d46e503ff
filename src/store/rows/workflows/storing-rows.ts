import { change, changeOne, first, type Script } from '../../script.ts';

// Large workflows are stored and removed in several transactions. Until the last one `workflow.storing_until` is set: nobody
// sees the workflow, and nothing of it can be claimed. While it is stored, it is the time after which its process counts
// as dead. 1: it is being removed.

/** False once it was given up: whoever stores it was away for too long. */
export function* keepStoring(workflowId: number, until: number): Script<boolean> {
  const changes = yield* change(
    'update workflow set storing_until = ? where id = ? and storing_until > 1',
    until,
    workflowId,
  );
  return changes === 1;
}

/** From now on it is there. */
export function* showWorkflow(workflowId: number): Script<void> {
  yield* changeOne('update workflow set storing_until = null where id = ? and storing_until > 1', workflowId);
}

/** One whose storing was abandoned, or that is being removed. */
export function* findAbandoned(now: number): Script<number | undefined> {
  const row = yield* first<{ id: number }>(
    'select id from workflow where storing_until between 1 and ? order by id limit 1',
    now,
  );
  return row?.id;
}

/** Nothing more of it can be stored. False if it is there: whoever stored it has finished meanwhile. */
export function* giveUpStoring(workflowId: number): Script<boolean> {
  const changes = yield* change(
    'update workflow set storing_until = 1 where id = ? and storing_until >= 1',
    workflowId,
  );
  return changes === 1;
}

/** A workflow that there is becomes one that is being removed. */
export function* hideWorkflow(workflowId: number): Script<void> {
  yield* changeOne(
    'update workflow set storing_until = 1 where id = ? and storing_until is null',
    workflowId,
  );
}
