import { type JobStatus, statusName } from '../../../core/job/job-status.ts';
import type { StoredJob } from '../../../core/model/workflow-parts.ts';
import type { StoredRow } from '../../../core/rerun/edited-workflow.ts';
import { idLists, inParts, valueTable } from '../../many-rows.ts';
import { all, change, changeAll, first, placeholders, run, type Script } from '../../script.ts';
import { stateChange } from './state-change.ts';

interface DefinitionRow {
  id: number;
  name: string;
  scope: string;
  status: number;
  blueprint: number;
  on_call: number;
  is_fresh: number;
  has_run: number;
  priority: number;
  claim_rank: number;
  cancel_on_failure: number;
  requirement_id: number;
  dependency_set_id: number | null;
  config: string;
  specified_requirement_id: number | null;
  specified_timeout_ms: number | null;
}

/** Has no attempt in this run, and waits for nothing but its dependencies, a worker or a call. */
const IS_FRESH = `case when attempt_id = 0 and visit = 1 and serves is null
  and ((status in (0, 1, 2) and waiting_for is null) or (status = 9 and on_call = 1)) then 1 else 0 end`;

/** All rows of a workflow, those included that no list shows. */
export function* listDefinitions(workflowId: number): Script<StoredRow[]> {
  const rows = yield* all<DefinitionRow>(
    `select id, name, scope, status, blueprint, on_call, ${IS_FRESH} as is_fresh,
       case when attempt_id > 0 then 1 else 0 end as has_run, priority, claim_rank,
       cancel_on_failure, requirement_id, dependency_set_id, config, specified_requirement_id, specified_timeout_ms
     from job where workflow_id = ? order by id`,
    workflowId,
  );
  // Each field by its name: to copy 100,000 rows with a rest and a spread takes ten times as long.
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scope: row.scope,
    status: statusName(row.status),
    blueprint: row.blueprint,
    on_call: row.on_call === 1,
    is_fresh: row.is_fresh === 1,
    has_run: row.has_run === 1,
    priority: row.priority,
    claim_rank: row.claim_rank,
    cancel_on_failure: row.cancel_on_failure === 1,
    requirement_id: row.requirement_id,
    dependency_set_id: row.dependency_set_id,
    config: row.config,
    specified:
      row.specified_requirement_id === null
        ? null
        : { requirement_id: row.specified_requirement_id, timeout_ms: row.specified_timeout_ms },
  }));
}

/** A row as it is to be, with the rows that it refers to. */
export interface WrittenJob {
  id: number;
  job: StoredJob;
  /** With what stands although the spec says something else. */
  config: string;
  requirement_id: number;
  specified: StoredRow['specified'];
  dependency_set_id: number | null;
  failure_handler_id: number | null;
  blueprint: number;
}

const WRITTEN: readonly [
  column: string,
  type: string,
  read: (written: WrittenJob) => string | number | null,
][] = [
  ['priority', 'bigint', ({ job }) => job.priority],
  ['claim_rank', 'bigint', ({ job }) => job.claim_rank],
  ['cancel_on_failure', 'integer', ({ job }) => (job.cancel_on_failure ? 1 : 0)],
  ['continue_on_failure', 'integer', ({ job }) => (job.continue_on_failure ? 1 : 0)],
  ['fail_fast', 'text', ({ job }) => job.fail_fast],
  ['on_call', 'integer', ({ job }) => (job.on_call ? 1 : 0)],
  ['scheduling_timeout', 'bigint', ({ job }) => job.scheduling_timeout_ms],
  ['scheduler', 'text', ({ job }) => job.scheduler],
  ['stdio', 'text', ({ job }) => job.stdio],
  ['config', 'text', ({ config }) => config],
  ['requirement_id', 'bigint', ({ requirement_id }) => requirement_id],
  ['dependency_set_id', 'bigint', ({ dependency_set_id }) => dependency_set_id],
  ['failure_handler_id', 'bigint', ({ failure_handler_id }) => failure_handler_id],
  ['blueprint', 'integer', ({ blueprint }) => blueprint],
  ['specified_requirement_id', 'bigint', ({ specified }) => specified?.requirement_id ?? null],
  ['specified_timeout_ms', 'bigint', ({ specified }) => specified?.timeout_ms ?? null],
];

const ASSIGNMENTS = WRITTEN.map(([column], index) => `${column} = written.column${index + 2}`).join(', ');

/** What the jobs are from now on; their states stay. */
export function* writeDefinitions(jobs: readonly WrittenJob[]): Script<void> {
  for (const part of inParts(jobs)) {
    const table = valueTable(
      ['bigint', ...WRITTEN.map(([, type]) => type)],
      part.map((written) => [written.id, ...WRITTEN.map(([, , read]) => read(written))]),
    );
    yield* changeAll(
      part.length,
      `update job set ${ASSIGNMENTS} from ${table.sql} as written where job.id = written.column1`,
      ...table.values,
    );
  }
}

const AT_REST: readonly JobStatus[] = [
  ...(['uninitialized', 'blocked', 'ready', 'pending_failed'] as const),
  ...(['completed', 'failed', 'terminated', 'canceled', 'disabled'] as const),
];
const REMOVED = stateChange(AT_REST, { status: 'disabled' });

/** → disabled, and in no list any more; events and attempts stay. */
export function* hideJobs(jobIds: readonly number[]): Script<void> {
  let left = jobIds.length;
  for (const list of idLists(jobIds)) {
    const count = Math.min(left, list.length);
    left -= count;
    yield* changeAll(
      count,
      `update job set ${REMOVED.to}, settled = 'disabled', serves = null, blueprint = 3, dependency_set_id = null,
         failure_handler_id = null, reason = 'an update of the workflow removed it'
       where id in ${placeholders(list.length)} and status + 0 in ${REMOVED.from}`,
      ...list,
    );
  }
}

/** The rows stand for items again. */
export function* renewBlueprints(jobIds: readonly number[]): Script<void> {
  for (const list of idLists(jobIds)) {
    yield* run(`update job set blueprint = 1 where id in ${placeholders(list.length)}`, ...list);
  }
}

/** Jobs that lists show. */
export function* recountJobs(workflowId: number): Script<number> {
  const row = yield* first<{ count: number }>(
    'select count(*) as count from job where workflow_id = ? and blueprint < 2',
    workflowId,
  );
  yield* change('update workflow set job_count = ? where id = ?', row!.count, workflowId);
  return row!.count;
}
