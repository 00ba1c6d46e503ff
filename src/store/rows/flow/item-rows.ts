import { inParts, valueTable } from '../../many-rows.ts';
import { all, changeOne, type Script } from '../../script.ts';
import { JOB_COLUMNS, type JobRow } from '../jobs/job-rows.ts';
import { stateChange, statusList } from '../jobs/state-change.ts';
import { inScope } from './scope-rows.ts';

const RETIRED = stateChange(['blocked'], { status: 'disabled' });
const CALLED = ['completed', 'failed', 'canceled', 'terminated'] as const;
const NO_ITEM = stateChange(['blocked', ...CALLED], { status: 'disabled' });

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

/** A job of an item: a copy of its blueprint that waits for `set_id`. */
export interface NewItemJob {
  blueprint_id: number;
  scope: string;
  set_id: number | null;
  is_blueprint: boolean;
}

/** A row that an update removed is used again. */
const AS_MADE = [
  ...['status', 'priority', 'requirement_id', 'dependency_set_id', 'failure_handler_id', 'cancel_on_failure'],
  ...['continue_on_failure', 'fail_fast', 'held', 'scheduling_timeout', 'scheduler', 'blueprint', 'config'],
]
  .map((column) => `${column} = excluded.${column}`)
  .concat('settled = null', 'visit = 1', 'attempt_id = 0', 'reason = null', 'on_call = 0')
  .concat('specified_requirement_id = null', 'specified_timeout_ms = null')
  .join(', ');

export function* insertItemJobs(
  jobs: readonly NewItemJob[],
): Script<{ id: number; name: string; scope: string }[]> {
  const made: { id: number; name: string; scope: string }[] = [];
  for (const part of inParts(jobs)) {
    const table = valueTable(
      ['bigint', 'text', 'bigint', 'integer'],
      part.map(({ blueprint_id, scope, set_id, is_blueprint }) => [
        ...[blueprint_id, scope, set_id],
        is_blueprint ? 1 : 0,
      ]),
    );
    made.push(
      ...(yield* all<{ id: number; name: string; scope: string }>(
        `insert into job (workflow_id, name, scope, status, priority, requirement_id, dependency_set_id,
           failure_handler_id, cancel_on_failure, continue_on_failure, fail_fast, held, scheduling_timeout, scheduler,
           blueprint, config)
         select workflow_id, name, made.column2, 1, priority, requirement_id, made.column3, failure_handler_id,
           cancel_on_failure, continue_on_failure, fail_fast, held, scheduling_timeout, scheduler, made.column4, config
         from ${table.sql} as made join job on job.id = made.column1 where true
         on conflict (workflow_id, name, scope) do update set ${AS_MADE} where job.blueprint = 3
         returning id, name, scope`,
        ...table.values,
      )),
    );
  }
  return made;
}

/** There are items: the blueprint is not seen any more. Or there are none, and it stands for them. */
export function* retireBlueprint(jobId: number, hasItems: boolean): Script<void> {
  yield* changeOne(
    `update job set ${RETIRED.to}, settled = 'disabled', blueprint = ?, reason = 'there is no item for it'
     where id = ? and status in ${RETIRED.from}`,
    hasItems ? 2 : 1,
    jobId,
  );
}

/** Disables the jobs of an item that the list does not have any more, steps that were called in it included. */
export function* disableItem(workflowId: number, scope: string): Script<number[]> {
  const within = inScope('scope', scope);
  const rows = yield* all<{ id: number }>(
    `update job set ${NO_ITEM.to}, settled = 'disabled', reason = 'there is no item for it any more'
     where workflow_id = ? and ${within.sql} and serves is null
       and ((status in ${RETIRED.from} and on_call = 0) or (status in ${statusList(CALLED)} and on_call = 1)) returning id`,
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

/** Jobs of items from an earlier visit, of the list that `prefix` puts out. */
export function* listItemJobs(
  workflowId: number,
  prefix: string,
): Script<{ id: number; name: string; scope: string }[]> {
  // '\\' follows '[': everything that begins with the prefix and a bracket.
  return yield* all<{ id: number; name: string; scope: string }>(
    'select id, name, scope from job where workflow_id = ? and scope > ? and scope < ? and blueprint <> 3',
    workflowId,
    `${prefix}[`,
    `${prefix}\\`,
  );
}
