import { JOB_COLUMNS, type JobRow } from './job-rows.ts';
import { all, changeOne, run, type Script } from './script.ts';

/** All jobs; or those that did not succeed, and everything downstream of them. */
export function* listJobsToReset(workflowId: number, failedOnly: boolean): Script<JobRow[]> {
  if (!failedOnly) {
    return yield* all<JobRow>(
      `select ${JOB_COLUMNS} from job where workflow_id = ? and blueprint <> 2 order by id`,
      workflowId,
    );
  }
  return yield* all<JobRow>(
    `with recursive chosen (id) as (
       select id from job where workflow_id = ? and status in (6, 7, 8, 10) and blueprint <> 2
       union
       select dependent.id from chosen
       join dependency_member on dependency_member.job_id = chosen.id
       join job dependent on dependent.dependency_set_id = dependency_member.set_id and dependent.blueprint <> 2
     )
     select ${JOB_COLUMNS} from job where id in (select id from chosen) order by id`,
    workflowId,
  );
}

/** → uninitialized, as if it had never run; its attempts stay in the history of their run. */
export function* resetJob(jobId: number): Script<void> {
  yield* changeOne(
    `update job set status = 0, visit = 1, attempt_id = 0, not_before = null, recovery_token = null, canceled_by = null,
      route_token = null, call_id = null, resume_status = null, resume_canceled_by = null, superseded = 0, reentry = 0, settled = null,
      cancel_requested = 0, schedule_by = null, reason = null where id = ?`,
    jobId,
  );
}

/** uninitialized → ready or blocked, by what the dependency sets say. */
export function* startOver(workflowId: number, now: number): Script<void> {
  yield* run(
    `update job set status = 9, settled = 'disabled' where workflow_id = ? and status = 0 and on_call = 1`,
    workflowId,
  );
  const open = `dependency_set_id is not null and exists (
    select 1 from dependency_set where dependency_set.id = job.dependency_set_id and remaining > 0)`;
  yield* run(`update job set status = 1 where workflow_id = ? and status = 0 and ${open}`, workflowId);
  yield* run(
    'update job set status = 2, schedule_by = ? + scheduling_timeout where workflow_id = ? and status = 0',
    now,
    workflowId,
  );
}
