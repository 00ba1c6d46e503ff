import { JOB_STATUS, type JobStatus } from '../core/job-status.ts';
import type { Settled } from './dependency-rows.ts';
import { JOB_COLUMNS, type JobRow } from './job-rows.ts';
import { inScope } from './scope-rows.ts';
import { all, changeOne, first, insert, run, type Script } from './script.ts';

/** How the job's end is counted by its dependents; null while it is open. */
export function* setSettled(jobId: number, settled: Settled | null): Script<void> {
  yield* changeOne('update job set settled = ? where id = ?', settled, jobId);
}

/** The job, and everything in the scope that waits for it, directly or not; steps on call wait for nothing. */
export function* listDownstream(workflowId: number, jobId: number, scope: string): Script<JobRow[]> {
  const within = inScope('job.scope', scope);
  // Sets are nodes of their own, so that a barrier is walked once and not once per member.
  return yield* all<JobRow>(
    `with recursive chosen (kind, id) as (
       select 'job', cast(? as bigint)
       union
       select case chosen.kind when 'job' then 'set' else 'job' end,
         case chosen.kind when 'job' then dependency_member.set_id else job.id end
       from chosen
       left join dependency_member on chosen.kind = 'job' and dependency_member.job_id = chosen.id
       left join job on chosen.kind = 'set' and job.dependency_set_id = chosen.id
         and job.on_call = 0 and job.blueprint <> 2 and ${within.sql}
       where dependency_member.set_id is not null or job.id is not null
     )
     select ${JOB_COLUMNS} from job where workflow_id = ? and id in (select id from chosen where kind = 'job') order by id`,
    jobId,
    ...within.values,
    workflowId,
  );
}

/** Whether `jobId` waits for `otherId`, directly or not. */
export function* isAncestor(otherId: number, jobId: number): Script<boolean> {
  const row = yield* first(
    `with recursive above (id) as (
       select dependency_set_id from job where id = ? and dependency_set_id is not null
       union
       select job.dependency_set_id from above
       join dependency_member on dependency_member.set_id = above.id
       join job on job.id = dependency_member.job_id and job.dependency_set_id is not null
     )
     select 1 as found from above join dependency_member on dependency_member.set_id = above.id
     where dependency_member.job_id = ? limit 1`,
    jobId,
    otherId,
  );
  return row !== undefined;
}

/** A live attempt is overtaken by a goto: it is let finish, and counts for nothing. */
export function* supersede(jobId: number): Script<void> {
  yield* changeOne('update job set superseded = 1 where id = ? and status in (3, 4)', jobId);
}

/** → blocked in a new visit, as if it had not run. */
export function* reenter(jobId: number, reason: string): Script<void> {
  yield* changeOne(
    `update job set status = 1, visit = visit + 1, settled = null, not_before = null, recovery_token = null,
      canceled_by = null, route_token = null, superseded = 0, cancel_requested = 0, schedule_by = null, reason = ?
     where id = ?`,
    reason,
    jobId,
  );
}

/** An overtaken call has ended: for its caller it ended like this. */
export function* endOvertakenCall(jobId: number, status: JobStatus, reason: string): Script<void> {
  yield* changeOne(
    'update job set status = ?, reason = ? where id = ? and call_id is not null',
    JOB_STATUS[status],
    reason,
    jobId,
  );
}

/** Where a job that serves a call now returns to, after all. */
export function* resumeAs(jobId: number, status: JobStatus): Script<void> {
  yield* changeOne(
    'update job set resume_status = ? where id = ? and call_id is not null',
    JOB_STATUS[status],
    jobId,
  );
}

/** Ready jobs that wait for the set again before they have started. */
export function* blockUnstarted(setId: number, runId: number): Script<void> {
  yield* run(
    `update job set status = 1, not_before = null, schedule_by = null where dependency_set_id = ? and status = 2
       and call_id is null and route_token is null and recovery_token is null and not exists (
         select 1 from attempt where attempt.job_id = job.id and attempt.run_id = ? and attempt.visit = job.visit)`,
    setId,
    runId,
  );
}

export function* setReentry(jobId: number, reentry: boolean): Script<void> {
  yield* changeOne('update job set reentry = ? where id = ?', reentry ? 1 : 0, jobId);
}

export function* listReentries(workflowId: number): Script<JobRow[]> {
  return yield* all<JobRow>(
    `select ${JOB_COLUMNS} from job where workflow_id = ? and reentry = 1 order by id`,
    workflowId,
  );
}

/** Whether an overtaken attempt is still live in the scope. */
export function* hasSuperseded(workflowId: number, scope: string): Script<boolean> {
  const within = inScope('scope', scope);
  const row = yield* first(
    `select 1 as found from job where workflow_id = ? and superseded = 1 and ${within.sql} limit 1`,
    workflowId,
    ...within.values,
  );
  return row !== undefined;
}

/** → ready for a call, in a visit of its own; `resume_status` is where it returns to. */
export function* serveCall(job: JobRow, callId: number, reason: string): Script<void> {
  yield* changeOne(
    `update job set status = 2, resume_status = status, resume_canceled_by = canceled_by, call_id = ?,
      visit = visit + 1, canceled_by = null, not_before = null, schedule_by = null, reason = ? where id = ? and status = ? and call_id is null`,
    callId,
    reason,
    job.id,
    job.status,
  );
}

/** The call is over; planned work of the job is again another visit. */
export function* leaveCall(jobId: number, status: JobStatus, reason: string | null): Script<void> {
  yield* changeOne(
    `update job set status = ?, call_id = null, resume_status = null, visit = visit + 1, superseded = 0,
      not_before = null, recovery_token = null, route_token = null, cancel_requested = 0,
      canceled_by = ${status === 'canceled' ? 'coalesce(canceled_by, resume_canceled_by)' : 'null'},
      resume_canceled_by = null, reason = ?
     where id = ? and call_id is not null`,
    JOB_STATUS[status],
    reason,
    jobId,
  );
}

/** A step on call, for callers in another scope than the one where it was written. */
export function* cloneIntoScope(job: JobRow, scope: string): Script<JobRow> {
  const id = yield* insert(
    `insert into job (workflow_id, name, scope, status, priority, requirement_id, failure_handler_id,
       cancel_on_failure, continue_on_failure, scheduling_timeout, settled, on_call, config)
     select workflow_id, name, ?, 9, priority, requirement_id, failure_handler_id, cancel_on_failure,
       continue_on_failure, scheduling_timeout, 'disabled', 1, config from job where id = ?`,
    scope,
    job.id,
  );
  yield* addJobs(job.workflow_id, 1);
  return (yield* first<JobRow>(`select ${JOB_COLUMNS} from job where id = ?`, id))!;
}

export function* addJobs(workflowId: number, count: number): Script<void> {
  yield* run('update workflow set job_count = job_count + ? where id = ?', count, workflowId);
}
