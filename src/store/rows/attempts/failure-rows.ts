import type { Reader } from '../../../contract/by.ts';
import { JOB_STATUS, type JobStatus } from '../../../core/job/job-status.ts';
import { all, first, placeholders, type Script } from '../../script.ts';
import { readable } from '../access/readable.ts';

/** A job together with its newest attempt that ended, and what it asks for. */
export interface FailedJobRow {
  job_id: number;
  name: string;
  scope: string;
  status: number;
  run_id: number;
  attempt_id: number;
  cause: string | null;
  match_code: number | null;
  outcome: string | null;
  fingerprint: string | null;
  usage: string | null;
  started_at: number | null;
  finished_at: number;
  cpus: number | null;
  memory_bytes: number | null;
  config: string;
  sample_count: number;
}

const WITH_LAST_ATTEMPT = `select job.id as job_id, job.name, job.scope, job.status, attempt.run_id, attempt.attempt_id,
  attempt.cause, attempt.match_code, attempt.outcome, attempt.fingerprint, attempt.usage, attempt.started_at,
  attempt.finished_at, requirement.cpus, requirement.memory_bytes, job.config,
  coalesce((select sample_count from attempt_samples where attempt_samples.token = attempt.id), 0) as sample_count
  from job join requirement on requirement.id = job.requirement_id
  join attempt on attempt.job_id = job.id and attempt.id = (
    select ended.id from attempt ended where ended.job_id = job.id and ended.finished_at is not null
    order by ended.run_id desc, ended.attempt_id desc limit 1)`;

/** Jobs in these statuses that have an attempt to be shown. */
export function* listWithLastAttempt(
  workflowId: number,
  statuses: readonly JobStatus[],
): Script<FailedJobRow[]> {
  return yield* all<FailedJobRow>(
    `${WITH_LAST_ATTEMPT} where job.workflow_id = ? and job.status in ${placeholders(statuses.length)}
     order by job.id`,
    workflowId,
    ...statuses.map((status) => JOB_STATUS[status]),
  );
}

/**
 * Jobs in these statuses whose last attempts have this fingerprint, or none of their own, after `after`.
 */
export function* listWithFingerprint(
  workflowId: number,
  statuses: readonly JobStatus[],
  fingerprint: string,
  after: number,
  limit: number,
): Script<FailedJobRow[]> {
  return yield* all<FailedJobRow>(
    `${WITH_LAST_ATTEMPT} where job.workflow_id = ? and job.status in ${placeholders(statuses.length)}
       and (attempt.fingerprint = ? or attempt.fingerprint is null) and job.id > ? order by job.id limit ?`,
    workflowId,
    ...statuses.map((status) => JOB_STATUS[status]),
    fingerprint,
    after,
    limit,
  );
}

/** Jobs with an attempt that ended, after `after`. */
export function* listUsage(workflowId: number, after: number, limit: number): Script<FailedJobRow[]> {
  return yield* all<FailedJobRow>(
    `${WITH_LAST_ATTEMPT} where job.workflow_id = ? and job.id > ? order by job.id limit ?`,
    workflowId,
    after,
    limit,
  );
}

/** Jobs of a workflow that wait for a decision, counted by what their last attempts have in common. */
export interface PendingFailureRow {
  workflow_id: number;
  workflow_name: string;
  fingerprint: string | null;
  cause: string;
  match_code: number | null;
  jobs: number;
  sample_job_id: number;
  finished_at: number;
}

/** The index on the status of jobs is used for one workflow after another, without those that are archived. */
export function* countPendingFailures(limit: number, reader?: Reader): Script<PendingFailureRow[]> {
  const { sql, values } = readable('workflow', reader);
  return yield* all<PendingFailureRow>(
    `select workflow.id as workflow_id, workflow.name as workflow_name, attempt.fingerprint, attempt.cause,
       attempt.match_code, count(*) as jobs, max(job.id) as sample_job_id, max(attempt.finished_at) as finished_at
     from workflow join job on job.workflow_id = workflow.id and job.status = ${JOB_STATUS.pending_failed}
     join attempt on attempt.job_id = job.id and attempt.id = (
       select ended.id from attempt ended where ended.job_id = job.id and ended.finished_at is not null
       order by ended.run_id desc, ended.attempt_id desc limit 1)
     where workflow.storing_until is null and workflow.archived_at is null and attempt.cause is not null${sql}
     group by workflow.id, workflow.name, attempt.fingerprint, attempt.cause, attempt.match_code
     order by jobs desc, workflow.id desc limit ?`,
    ...values,
    limit,
  );
}

/** Failed jobs of a workflow, counted by what their last attempts have in common. */
export interface FailureCountRow {
  fingerprint: string | null;
  cause: string;
  match_code: number | null;
  jobs: number;
  waiting: number;
  sample_job_id: number;
}

export function* countFailures(
  workflowId: number,
  statuses: readonly JobStatus[],
  limit: number,
): Script<FailureCountRow[]> {
  return yield* all<FailureCountRow>(
    `select attempt.fingerprint, attempt.cause, attempt.match_code, count(*) as jobs,
       count(case when job.status = ${JOB_STATUS.pending_failed} then 1 end) as waiting,
       max(job.id) as sample_job_id
     from job join attempt on attempt.job_id = job.id and attempt.id = (
       select ended.id from attempt ended where ended.job_id = job.id and ended.finished_at is not null
       order by ended.run_id desc, ended.attempt_id desc limit 1)
     where job.workflow_id = ? and attempt.cause is not null
       and job.status in ${placeholders(statuses.length)}
     group by attempt.fingerprint, attempt.cause, attempt.match_code
     order by jobs desc, sample_job_id limit ?`,
    workflowId,
    ...statuses.map((status) => JOB_STATUS[status]),
    limit,
  );
}

/** Jobs that ended as failed, oldest first. */
export function* listFailedJobs(
  workflowId: number,
  limit: number,
): Script<{ id: number; name: string; scope: string; status: number; reason: string | null }[]> {
  return yield* all(
    `select id, name, scope, status, reason from job where workflow_id = ? and status in (6, 8) and blueprint < 2
     order by id limit ?`,
    workflowId,
    limit,
  );
}

export function* findWithLastAttempt(jobId: number): Script<FailedJobRow | undefined> {
  return yield* first<FailedJobRow>(`${WITH_LAST_ATTEMPT} where job.id = ?`, jobId);
}
