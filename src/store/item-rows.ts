import { JOB_COLUMNS, type JobRow } from './job-rows.ts';
import { inScope } from './scope-rows.ts';
import { all, changeOne, insert, type Script } from './script.ts';

/** Blueprints of a pattern such as `list[*]` and of those below it, canceled ones left out. */
export function* listBlueprints(workflowId: number, pattern: string): Script<JobRow[]> {
  const within = inScope('scope', pattern);
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and ${within.sql}
       and (blueprint = 2 or (blueprint = 1 and status = 1)) order by id`,
    workflowId,
    ...within.values,
  );
}

/** The job of one item: a copy of its blueprint that waits for `setId`. */
export function* insertItemJob(
  blueprint: JobRow,
  scope: string,
  setId: number | null,
  isBlueprint: boolean,
): Script<number> {
  return yield* insert(
    `insert into job (workflow_id, name, scope, status, priority, requirement_id, dependency_set_id, failure_handler_id,
       cancel_on_failure, continue_on_failure, scheduling_timeout, blueprint, config)
     select workflow_id, name, ?, 1, priority, requirement_id, ?, failure_handler_id, cancel_on_failure,
       continue_on_failure, scheduling_timeout, ?, config from job where id = ?`,
    scope,
    setId,
    isBlueprint ? 1 : 0,
    blueprint.id,
  );
}

export function* setDependencySet(jobId: number, setId: number): Script<void> {
  yield* changeOne('update job set dependency_set_id = ? where id = ?', setId, jobId);
}

/** There are items: the blueprint is not seen any more. Or there are none, and it stands for them. */
export function* retireBlueprint(jobId: number, hasItems: boolean): Script<void> {
  yield* changeOne(
    `update job set status = 9, settled = 'disabled', blueprint = ?, reason = 'there is no item for it' where id = ?`,
    hasItems ? 2 : 1,
    jobId,
  );
}

/** Jobs of an item that the list does not have any more.. */
export function* disableItem(workflowId: number, scope: string): Script<number[]> {
  const within = inScope('scope', scope);
  const rows = yield* all<{ id: number }>(
    `update job set status = 9, settled = 'disabled', reentry = 0, reason = 'there is no item for it any more'
     where workflow_id = ? and ${within.sql} and status = 1 and call_id is null and on_call = 0 returning id`,
    workflowId,
    ...within.values,
  );
  return rows.map(({ id }) => id);
}

/** Whether the list had this item in an earlier visit. */
export function* hasScope(workflowId: number, scope: string): Script<boolean> {
  const rows = yield* all(
    'select 1 as found from scope where workflow_id = ? and scope = ?',
    workflowId,
    scope,
  );
  return rows.length > 0;
}

/** Jobs of the item from an earlier visit. */
export function* listItemJobs(
  workflowId: number,
  scope: string,
): Script<{ id: number; name: string; scope: string }[]> {
  const within = inScope('scope', scope);
  return yield* all<{ id: number; name: string; scope: string }>(
    `select id, name, scope from job where workflow_id = ? and ${within.sql}`,
    workflowId,
    ...within.values,
  );
}
