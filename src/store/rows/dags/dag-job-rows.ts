import { all, type Script } from '../../script.ts';

/** A job as the DAG of its workflow needs it. */
export interface DagJobRow {
  id: number;
  name: string;
  priority: number;
  requirement_id: number;
  dependency_set_id: number | null;
  cancel_on_failure: number;
  config: string;
  status: number;
}

export function* listDagJobs(workflowId: number): Script<DagJobRow[]> {
  return yield* all<DagJobRow>(
    `select id, name, priority, requirement_id, dependency_set_id, cancel_on_failure, config, status from job
     where workflow_id = ? order by id`,
    workflowId,
  );
}

export function* listSetMembers(workflowId: number): Script<{ set_id: number; job_id: number }[]> {
  return yield* all<{ set_id: number; job_id: number }>(
    `select dependency_member.set_id, dependency_member.job_id from dependency_member
     join dependency_set on dependency_set.id = dependency_member.set_id
     where dependency_set.workflow_id = ? order by dependency_member.set_id, dependency_member.job_id`,
    workflowId,
  );
}

/** Jobs of a workflow with how many attempts they have had in a DAG. */
export interface DagJobState {
  id: number;
  name: string;
  status: number;
  visit: number;
  attempt_id: number;
  attempts: number;
}

export function* listDagJobStates(workflowId: number, afterAttempt: number): Script<DagJobState[]> {
  return yield* all<DagJobState>(
    `select job.id, job.name, job.status, job.visit, job.attempt_id,
       (select count(*) from attempt where attempt.job_id = job.id and attempt.id > ?) as attempts
     from job where job.workflow_id = ? order by job.id`,
    afterAttempt,
    workflowId,
  );
}
