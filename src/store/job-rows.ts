import { JOB_STATUS, type JobStatus } from '../core/job-status.ts';
import { DEFAULT_JOB_CONFIG, type JobConfig } from '../core/workflow-model.ts';
import type { Settled } from './dependency-rows.ts';
import { idLists } from './many-rows.ts';
import { inScope } from './scope-rows.ts';
import {
  all,
  change,
  changeAll,
  changeOne,
  first,
  placeholders,
  run,
  type Script,
  type SqlValue,
} from './script.ts';

export interface JobRow {
  id: number;
  workflow_id: number;
  name: string;
  scope: string;
  status: number;
  priority: number;
  requirement_id: number;
  dependency_set_id: number | null;
  visit: number;
  attempt_id: number;
  not_before: number | null;
  schedule_by: number | null;
  cancel_requested: number;
  canceled_by: number | null;
  cancel_on_failure: number;
  settled: Settled | null;
  on_call: number;
  blueprint: number;
  superseded: number;
  reentry: number;
  route_token: number | null;
  call_id: number | null;
  resume_status: number | null;
  reason: string | null;
  config: string;
}

export const JOB_COLUMNS = `job.id, job.workflow_id, job.name, job.scope, job.status, job.priority, job.requirement_id,
  job.dependency_set_id, job.visit, job.attempt_id, job.not_before, job.schedule_by, job.cancel_requested,
  job.canceled_by, job.cancel_on_failure, job.settled, job.on_call, job.blueprint, job.superseded, job.reentry,
  job.route_token, job.call_id, job.resume_status, job.reason, job.config`;

const DEFAULT_JSON = new Map(
  Object.entries(DEFAULT_JOB_CONFIG).map(([key, value]) => [key, JSON.stringify(value)]),
);

/** Only what differs from the defaults: 100,000 jobs mostly say the same. */
export function encodeConfig(config: JobConfig): string {
  const different = Object.entries(config).filter(
    ([key, value]) => JSON.stringify(value) !== DEFAULT_JSON.get(key),
  );
  return JSON.stringify(Object.fromEntries(different));
}

export function decodeConfig(text: string): JobConfig {
  return { ...DEFAULT_JOB_CONFIG, ...(JSON.parse(text) as JobConfig) };
}

/** By number, by name, or by the label of a job of a forEach item, as in `p@list[0]`. */
export function* findJob(workflowId: number, ref: number | string): Script<JobRow | undefined> {
  const column = typeof ref === 'number' ? 'id' : 'name';
  const found = yield* first<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and ${column} = ? and blueprint <> 2 order by scope limit 1`,
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

export function* getJob(id: number): Script<JobRow> {
  return (yield* first<JobRow>(`select ${JOB_COLUMNS} from job where id = ?`, id))!;
}

/** Whether anything ended without success; a failure that its dependents may ignore does not count. */
export function* hasFailures(workflowId: number): Script<boolean> {
  const row = yield* first(
    `select 1 as failed from job where workflow_id = ? and status in (6, 7, 8)
       and (status = 7 or continue_on_failure = 0) limit 1`,
    workflowId,
  );
  return row !== undefined;
}

export function* countByStatus(workflowId: number): Script<{ status: number; count: number }[]> {
  return yield* all<{ status: number; count: number }>(
    'select status, count(*) as count from job where workflow_id = ? and blueprint <> 2 group by status',
    workflowId,
  );
}

export function* hasOpenJobs(workflowId: number): Script<boolean> {
  const row = yield* first(
    'select 1 as open from job where workflow_id = ? and status in (0, 1, 2, 3, 4, 10) limit 1',
    workflowId,
  );
  return row !== undefined;
}

/** Waiting jobs whose time has come become claimable. */
export function* wakeDueJobs(workflowId: number, now: number): Script<void> {
  yield* run(
    `update job set not_before = null where workflow_id = ? and status = 2 and not_before is not null
       and not_before <= ? and recovery_token is null and route_token is null`,
    workflowId,
    now,
  );
}

/** The earliest time at which a waiting job of the workflow becomes due or gives up; null if none waits. */
export function* nextDueTime(workflowId: number): Script<number | null> {
  const times = yield* first<{ waiting: number | null; scheduling: number | null }>(
    `select (select min(not_before) from job where workflow_id = ? and status = 2 and not_before is not null
         and recovery_token is null and route_token is null) as waiting,
       (select min(schedule_by) from job where workflow_id = ? and status = 2 and schedule_by is not null)
         as scheduling`,
    workflowId,
    workflowId,
  );
  const known = [times!.waiting, times!.scheduling].filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/**
 * Ready jobs of one requirement in the order in which they are claimed; without those that shun the worker at this
 * time, if one is told.
 */
export function* listClaimable(
  workflowId: number,
  requirementId: number,
  limit: number,
  shunned: { workerId: number; now: number } | null = null,
): Script<JobRow[]> {
  const welcome =
    shunned === null ? '' : ' and (avoid_worker_id is null or avoid_worker_id <> ? or avoid_until <= ?)';
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and requirement_id = ? and status = 2
       and not_before is null${welcome} order by priority desc, id limit ?`,
    workflowId,
    requirementId,
    ...(shunned === null ? [] : [shunned.workerId, shunned.now]),
    limit,
  );
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
    `select ${JOB_COLUMNS} from job where workflow_id = ? and status = 2 and schedule_by is not null and schedule_by <= ?
     order by id`,
    workflowId,
    now,
  );
}

/** A named transition: compare-and-set on status and attempt. */
export function* moveJob(
  job: { id: number; attempt_id: number },
  from: JobStatus[],
  to: JobStatus,
  facts: {
    reason: string;
    not_before?: number | null;
    /** The attempt whose recovery script must end first. */
    recovery_token?: number | null;
    /** The job because of which it is canceled, if it is not a user's doing. */
    canceled_by?: number | null;
    /** The attempt whose steps to run must end first. */
    route_token?: number | null;
    /** Where it failed, and until when another worker is waited for. */
    avoid?: { worker_id: number; until: number } | null;
  },
): Script<void> {
  yield* changeOne(
    `update job set status = ?, not_before = ?, recovery_token = ?, canceled_by = ?, route_token = ?, reason = ?,
      avoid_worker_id = ?, avoid_until = ?, cancel_requested = 0, superseded = 0, reentry = ${to === 'blocked' ? 'reentry' : '0'}, schedule_by = null
     where id = ? and attempt_id = ? and status in ${placeholders(from.length)}`,
    JOB_STATUS[to],
    facts.not_before ?? null,
    facts.recovery_token ?? null,
    facts.canceled_by ?? null,
    facts.route_token ?? null,
    facts.reason,
    facts.avoid?.worker_id ?? null,
    facts.avoid?.until ?? null,
    job.id,
    job.attempt_id,
    ...from.map((status) => JOB_STATUS[status]),
  );
}

/** What the job's route had to run has ended: the re-attempt waits for its backoff only. */
export function* endWaitForRoute(jobId: number, notBefore: number | null): Script<void> {
  yield* changeOne(
    'update job set route_token = null, not_before = ? where id = ? and status = 2 and route_token is not null',
    notBefore,
    jobId,
  );
}

/**
 * The status, in words that no index is made for: of jobs that are known by their ids, PostgreSQL would else read what
 * the index by status has of all workflows.
 */
const STATUS = 'status + 0';

/** ready → pending with the next attempt number. */
export function* toPending(jobIds: readonly number[]): Script<void> {
  yield* moveAll(
    jobIds,
    'status = 3, attempt_id = attempt_id + 1, schedule_by = null, reason = null',
    `${STATUS} = 2 and not_before is null`,
  );
}

/** pending → running. */
export function* toRunning(jobIds: readonly number[]): Script<void> {
  yield* moveAll(jobIds, 'status = 4', `${STATUS} = 3`);
}

/** pending, running → completed, and counted as such by its dependents. */
export function* toCompleted(jobIds: readonly number[], reason: string): Script<void> {
  yield* moveAll(
    jobIds,
    `status = 5, settled = 'succeeded', not_before = null, recovery_token = null, canceled_by = null,
      route_token = null, avoid_worker_id = null, avoid_until = null, cancel_requested = 0, superseded = 0,
      reentry = 0, schedule_by = null, reason = ?`,
    `${STATUS} in (3, 4)`,
    reason,
  );
}

/** Every one of them must be as `from` says; the workflow is locked, so that what was read of them still holds. */
function* moveAll(
  jobIds: readonly number[],
  assignments: string,
  from: string,
  ...values: SqlValue[]
): Script<void> {
  let left = jobIds.length;
  for (const list of idLists(jobIds)) {
    const count = Math.min(left, list.length);
    left -= count;
    yield* changeAll(
      count,
      `update job set ${assignments} where id in ${placeholders(list.length)} and ${from}`,
      ...values,
      ...list,
    );
  }
}

/** blocked → ready for the jobs that wait for the set; after a failure only for those that do not mind. */
export function* releaseSet(setId: number, anyFailed: boolean, now: number): Script<number> {
  return yield* change(
    `update job set status = 2, schedule_by = ? + scheduling_timeout
     where dependency_set_id = ? and status = 1 and reentry = 0 and route_token is null and blueprint = 0${anyFailed ? ' and cancel_on_failure = 0' : ''}`,
    now,
    setId,
  );
}

/** Jobs that wait for the set, and for nothing else. */
export function* listBlockedBySet(setId: number): Script<JobRow[]> {
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where dependency_set_id = ? and status = 1 and reentry = 0 and route_token is null
     order by id`,
    setId,
  );
}

export function* listOpenJobs(
  workflowId: number,
  ids: number[] | null,
  scope: string = '',
): Script<JobRow[]> {
  const some = ids === null ? '' : ` and job.id in ${placeholders(ids.length)}`;
  const within = inScope('job.scope', scope);
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and status in (0, 1, 2, 3, 4, 10)${some} and ${within.sql}
     order by id`,
    workflowId,
    ...(ids ?? []),
    ...within.values,
  );
}

export function* requestCancel(jobId: number, reason: string): Script<void> {
  yield* changeOne(
    'update job set cancel_requested = 1, reason = ? where id = ? and status in (3, 4)',
    reason,
    jobId,
  );
}

/** Jobs that were canceled because a member of the set did not succeed. */
export function* listCanceledBecauseOf(setId: number): Script<JobRow[]> {
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where dependency_set_id = ? and status = 7 and canceled_by is not null order by id`,
    setId,
  );
}

/** Number of the workflow that the job belongs to. */
export function* findWorkflowOfJob(id: number): Script<number | undefined> {
  const row = yield* first<{ workflow_id: number }>(
    'select workflow_id from job where id = ? and blueprint <> 2',
    id,
  );
  return row?.workflow_id;
}
