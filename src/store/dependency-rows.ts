import { all, change, insert, type Script } from './script.ts';

export function* insertDependencySet(workflowId: number, size: number): Script<number> {
  return yield* insert(
    'insert into dependency_set (workflow_id, size, remaining) values (?, ?, ?)',
    workflowId,
    size,
    size,
  );
}

export function* insertDependencyMember(setId: number, jobId: number): Script<void> {
  yield* change('insert into dependency_member (set_id, job_id) values (?, ?)', setId, jobId);
}

export interface SetProgress {
  id: number;
  remaining: number;
  unsuccessful: number;
}

/** One member of these sets has ended. In id order, so that two writers cannot wait for each other. */
export function* countDown(jobId: number, succeeded: boolean): Script<SetProgress[]> {
  return yield* all<SetProgress>(
    `update dependency_set set remaining = remaining - 1, unsuccessful = unsuccessful + ?
     where id in (select set_id from dependency_member where job_id = ? order by set_id)
     returning id, remaining, unsuccessful`,
    succeeded ? 0 : 1,
    jobId,
  );
}

/** The reverse: a member that had ended without success is open again. */
export function* countUp(jobId: number): Script<SetProgress[]> {
  return yield* all<SetProgress>(
    `update dependency_set set remaining = remaining + 1, unsuccessful = unsuccessful - 1
     where id in (select set_id from dependency_member where job_id = ? order by set_id)
     returning id, remaining, unsuccessful`,
    jobId,
  );
}

/** Counts anew from the statuses of the members. */
export function* recountSets(workflowId: number): Script<void> {
  const ended = (
    statuses: string,
  ) => `(select count(*) from dependency_member join job on job.id = dependency_member.job_id
    where dependency_member.set_id = dependency_set.id and job.status in (${statuses}))`;
  yield* change(
    `update dependency_set set remaining = size - ${ended('5, 6, 7, 8, 9')}, unsuccessful = ${ended('6, 7, 8')}
     where workflow_id = ?`,
    workflowId,
  );
}

export function* listDependencies(jobId: number): Script<{ job_id: number; name: string; status: number }[]> {
  return yield* all<{ job_id: number; name: string; status: number }>(
    `select needed.id as job_id, needed.name, needed.status from job
     join dependency_member on dependency_member.set_id = job.dependency_set_id
     join job needed on needed.id = dependency_member.job_id
     where job.id = ? order by needed.id`,
    jobId,
  );
}
