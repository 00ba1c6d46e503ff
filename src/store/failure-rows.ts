import { JOB_STATUS, type JobStatus } from '../core/job-status.ts';
import { all, first, placeholders, type Script } from './script.ts';

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
  finished_at: number | null;
  cpus: number | null;
  memory_bytes: number | null;
  config: string;
}

const WITH_LAST_ATTEMPT = `select job.id as job_id, job.name, job.scope, job.status, attempt.run_id, attempt.attempt_id,
  attempt.cause, attempt.match_code, attempt.outcome, attempt.fingerprint, attempt.usage, attempt.started_at,
  attempt.finished_at, requirement.cpus, requirement.memory_bytes, job.config
  from job join requirement on requirement.id = job.requirement_id
  join attempt on attempt.job_id = job.id and attempt.id = (
    select ended.id from attempt ended where ended.job_id = job.id and ended.finished_at is not null
    order by ended.run_id desc, ended.attempt_id desc limit 1)`;

/** Jobs in these statuses that have an attempt to be told of. */
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

/** Jobs with an attempt that ended, after `after`. */
export function* listUsage(workflowId: number, after: number, limit: number): Script<FailedJobRow[]> {
  return yield* all<FailedJobRow>(
    `${WITH_LAST_ATTEMPT} where job.workflow_id = ? and job.id > ? order by job.id limit ?`,
    workflowId,
    after,
    limit,
  );
}

export function* findWithLastAttempt(jobId: number): Script<FailedJobRow | undefined> {
  return yield* first<FailedJobRow>(`${WITH_LAST_ATTEMPT} where job.id = ?`, jobId);
}
