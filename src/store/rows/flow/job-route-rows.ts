import { all, first, insert, run, type Script } from '../../script.ts';
import { JOB_COLUMNS, type JobRow } from '../jobs/job-rows.ts';
import { inScope } from './scope-rows.ts';

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
         and job.on_call = 0 and job.blueprint < 2 and ${within.sql}
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
