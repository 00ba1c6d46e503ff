import type { Settled } from '../../../core/flow/flow-part.ts';
import { JOB_STATUS } from '../../../core/job/job-status.ts';
import { idLists } from '../../many-rows.ts';
import { all, first, placeholders, type Script } from '../../script.ts';
import { inScope } from '../flow/scope-rows.ts';
import {
  CLAIMABLE,
  HAS_TO_BE_SCHEDULED,
  STATE_COLUMNS,
  type StateColumns,
  WAITS_FOR_RETRY,
} from './state-columns.ts';

export { decodeConfig, encodeConfig } from '../../../core/model/config-text.ts';

export interface JobRow extends StateColumns {
  id: number;
  workflow_id: number;
  name: string;
  scope: string;
  priority: number;
  /** Among jobs of one priority the lower rank is claimed first. */
  claim_rank: number;
  requirement_id: number;
  dependency_set_id: number | null;
  visit: number;
  attempt_id: number;
  cancel_on_failure: number;
  /** Its sweep, if the rest of that is canceled when one of its jobs fails. */
  fail_fast: string | null;
  settled: Settled | null;
  on_call: number;
  blueprint: number;
  /** The call that it serves, in JSON. */
  serves: string | null;
  reason: string | null;
  config: string;
}

export const JOB_COLUMNS = `job.id, job.workflow_id, job.name, job.scope, ${STATE_COLUMNS}, job.priority, job.claim_rank,
  job.requirement_id, job.dependency_set_id, job.visit, job.attempt_id, job.cancel_on_failure, job.fail_fast, job.settled, job.on_call,
  job.blueprint, job.serves, job.reason, job.config`;

/** By number, by name, or by the label of a job of a forEach item, as in `p@list[0]`; also one that an update removed. */
export function* findJob(workflowId: number, ref: number | string): Script<JobRow | undefined> {
  const column = typeof ref === 'number' ? 'id' : 'name';
  const found = yield* first<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and ${column} = ? and blueprint <> 2
     order by case when blueprint = 3 then 1 else 0 end, scope limit 1`,
    workflowId,
    ref,
  );
  if (found !== undefined || typeof ref === 'number') return found;
  const at = ref.indexOf('@');
  return at < 0 ? undefined : yield* findJobIn(workflowId, ref.slice(0, at), ref.slice(at + 1));
}

export function* findJobIn(workflowId: number, name: string, scope: string): Script<JobRow | undefined> {
  return yield* first<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and name = ? and scope = ?`,
    workflowId,
    name,
    scope,
  );
}

export function* findJobIdIn(workflowId: number, name: string, scope: string): Script<number | undefined> {
  const row = yield* first<{ id: number }>(
    'select id from job where workflow_id = ? and name = ? and scope = ?',
    workflowId,
    name,
    scope,
  );
  return row?.id;
}

export function* getJob(id: number): Script<JobRow> {
  return (yield* first<JobRow>(`select ${JOB_COLUMNS} from job where id = ?`, id))!;
}

/** In the order of their ids. */
export function* listJobsOf(ids: readonly number[]): Script<JobRow[]> {
  const rows: JobRow[] = [];
  for (const list of idLists(ids)) {
    const sql = `select ${JOB_COLUMNS} from job where id in ${placeholders(list.length)}`;
    rows.push(...(yield* all<JobRow>(sql, ...list)));
  }
  return rows.sort((a, b) => a.id - b.id);
}

/**
 * A job that ended without success. A failure that its dependents may ignore does not count, unless it was counted as
 * one all the same: a loop_abort is.
 */
export const FAILED_JOB = `job.status in (6, 7, 8)
  and (job.status = 7 or job.continue_on_failure = 0 or job.settled = 'failed')`;

/** Whether anything ended without success. */
export function* hasFailures(workflowId: number): Script<boolean> {
  const row = yield* first(
    `select 1 as failed from job where workflow_id = ? and ${FAILED_JOB} limit 1`,
    workflowId,
  );
  return row !== undefined;
}

/**
 * Jobs in no list are subtracted: blueprints that were replaced are in scopes, and jobs that an update removed are disabled.
 * So an index has all that is counted. To read the rows of a million jobs takes a second.
 */
export function* countByStatus(workflowId: number): Script<{ status: number; count: number }[]> {
  return yield* all<{ status: number; count: number }>(
    `select status, cast(sum(jobs) as bigint) as count from (
       select status, count(*) as jobs from job where workflow_id = ? group by status
       union all
       select status, -count(*) from job where workflow_id = ? and scope <> '' and blueprint >= 2 group by status
       union all
       select status, -count(*) from job
         where workflow_id = ? and status = ${JOB_STATUS.disabled} and scope = '' and blueprint >= 2 group by status
     ) as counted group by status having sum(jobs) > 0`,
    workflowId,
    workflowId,
    workflowId,
  );
}

export function* hasOpenJobs(workflowId: number): Script<boolean> {
  return (yield* listOpenWorkflows([workflowId])).length > 0;
}

/** Those of the workflows that have open jobs. Not by `exists`, of which PostgreSQL may make a join that reads all of them. */
export function* listOpenWorkflows(ids: readonly number[]): Script<number[]> {
  const open: number[] = [];
  for (const list of idLists(ids)) {
    const rows = yield* all<{ id: number }>(
      `select id from workflow where id in ${placeholders(list.length)} and (
         select 1 from job where job.workflow_id = workflow.id and job.status in (0, 1, 2, 3, 4, 10) limit 1
       ) is not null`,
      ...list,
    );
    open.push(...rows.map(({ id }) => id));
  }
  return open;
}

/** Workflows of the attempts that have open jobs without a live attempt: the end of attempts leaves those open. */
export function* listUnfinishedOf(tokens: readonly number[]): Script<number[]> {
  const unfinished: number[] = [];
  for (const list of idLists(tokens)) {
    const rows = yield* all<{ id: number }>(
      `select id from workflow where id in (
         select workflow_id from attempt where attempt.id in ${placeholders(list.length)}
       ) and (
         select 1 from job where job.workflow_id = workflow.id and job.status in (0, 1, 2, 10) limit 1
       ) is not null`,
      ...list,
    );
    unfinished.push(...rows.map(({ id }) => id));
  }
  return unfinished;
}

/** Whether an attempt of the workflow is live. */
export function* hasLiveJobs(workflowId: number): Script<boolean> {
  const row = yield* first(
    'select 1 as live from job where workflow_id = ? and status in (3, 4) limit 1',
    workflowId,
  );
  return row !== undefined;
}

/** The earliest time at which a waiting job of the workflow becomes due or gives up; null if none waits. */
export function* nextDueTime(workflowId: number): Script<number | null> {
  const times = yield* first<{ waiting: number | null; scheduling: number | null }>(
    `select (select min(waiting_until) from job where workflow_id = ? and ${WAITS_FOR_RETRY}) as waiting,
       (select min(waiting_until) from job where workflow_id = ? and ${HAS_TO_BE_SCHEDULED}) as scheduling`,
    workflowId,
    workflowId,
  );
  const known = [times!.waiting, times!.scheduling].filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Places that jobs are left out for if they avoid them at this time; null: none avoids it, or has to. */
export interface AvoidedPlace {
  workerId: number | null;
  site: string | null;
  now: number;
}

const CLAIMED_COLUMNS = [
  'id',
  'name',
  'scope',
  'priority',
  'claim_rank',
  'requirement_id',
  'dependency_set_id',
  'visit',
  'attempt_id',
  'serves',
  'config',
] as const satisfies (keyof JobRow)[];

/** What a claim is made of: a whole row takes three times as long to read. */
export type ClaimableJob = Pick<JobRow, (typeof CLAIMED_COLUMNS)[number]>;

/** Ready jobs of one requirement in the order in which they are claimed, without those that avoid the place. */
export function* listClaimable(
  workflowId: number,
  requirementId: number,
  limit: number,
  avoided: AvoidedPlace | null = null,
): Script<ClaimableJob[]> {
  const { workerId = null, site = null, now = 0 } = avoided ?? {};
  const conditions = [
    ...(workerId === null
      ? []
      : [{ sql: 'avoid_worker_id is null or avoid_worker_id <> ?', value: workerId }]),
    ...(site === null ? [] : [{ sql: 'avoid_site is null or avoid_site <> ?', value: site }]),
  ];
  const rows = yield* all<ClaimableJob>(
    `select ${CLAIMED_COLUMNS.join(', ')} from job where workflow_id = ? and requirement_id = ? and ${CLAIMABLE}${conditions.map(({ sql }) => ` and (${sql} or avoid_until <= ?)`).join('')}
     order by priority desc, claim_rank, id limit ${roundedUp(limit)}`,
    workflowId,
    requirementId,
    ...conditions.flatMap(({ value }) => [value, now]),
  );
  return rows.slice(0, limit);
}

/**
 * The count, an eighth more at most. SQLite prepares a statement anew for each value that is bound to its limit, which takes
 * longer than to run it; so the limit is in the text, and there are not many texts.
 */
function roundedUp(count: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(count)) - 3);
  return Math.ceil(count / step) * step;
}

/** How many jobs of each requirement are pending or running. */
export function* countLiveByRequirement(
  workflowId: number,
): Script<{ requirement_id: number; count: number }[]> {
  return yield* all<{ requirement_id: number; count: number }>(
    `select requirement_id, count(*) as count from job where workflow_id = ? and status in (3, 4)
     group by requirement_id`,
    workflowId,
  );
}

/** Ready jobs that waited too long for their first start. */
export function* listUnscheduled(workflowId: number, now: number): Script<JobRow[]> {
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and ${HAS_TO_BE_SCHEDULED} and waiting_until <= ?
     order by id`,
    workflowId,
    now,
  );
}

export function* listOpenJobs(
  workflowId: number,
  ids: number[] | null,
  scope: string = '',
): Script<JobRow[]> {
  const within = inScope('job.scope', scope);
  const lists = ids === null ? [null] : idLists(ids);
  const rows: JobRow[] = [];
  for (const list of lists) {
    const some = list === null ? '' : ` and job.id in ${placeholders(list.length)}`;
    rows.push(
      ...(yield* all<JobRow>(
        `select ${JOB_COLUMNS} from job
         where workflow_id = ? and status in (0, 1, 2, 3, 4, 10)${some} and ${within.sql} order by id`,
        workflowId,
        ...(list ?? []),
        ...within.values,
      )),
    );
  }
  return rows;
}

/** Number of the workflow that the job belongs to. */
export function* findWorkflowOfJob(id: number): Script<number | undefined> {
  const row = yield* first<{ workflow_id: number }>(
    `select workflow_id from job join workflow on workflow.id = job.workflow_id and workflow.storing_until is null
     where job.id = ? and blueprint <> 2`,
    id,
  );
  return row?.workflow_id;
}
