import type { FileMark } from '../../../core/files/file-mark.ts';
import { idLists, inParts, valueRows } from '../../many-rows.ts';
import { all, placeholders, run, type Script } from '../../script.ts';

/** Whose marks they are. */
export interface MarkedAttempt {
  id: number;
  workflow_id: number;
  job_id: number;
}

/** Marks that were stored before are replaced. */
export function* putFileMarks(attempt: MarkedAttempt, marks: readonly FileMark[]): Script<void> {
  const distinct = new Map(marks.map((mark) => [`${mark.role} ${mark.path}`, mark]));
  for (const part of inParts([...distinct.values()])) {
    const rows = valueRows(
      part.map(({ role, path, kind, size, mtime_ns, hash, problem }) => {
        const { id, workflow_id, job_id } = attempt;
        return [workflow_id, job_id, id, role, path, kind, size, mtime_ns, hash, problem];
      }),
    );
    yield* run(
      `insert into file_mark (workflow_id, job_id, token, role, path, kind, size, mtime_ns, hash, problem) ${rows.sql}
       on conflict (workflow_id, job_id, token, role, path) do update set kind = excluded.kind, size = excluded.size,
         mtime_ns = excluded.mtime_ns, hash = excluded.hash, problem = excluded.problem`,
      ...rows.values,
    );
  }
}

export interface DeclaringJob {
  id: number;
  name: string;
  scope: string;
  status: number;
  config: string;
  /** Of its newest attempt; null: there is none. */
  run_id: number | null;
  attempt_id: number | null;
}

/** Jobs that declare files. Keys of a config that have their default are not stored, so that a text search finds them. */
export function* listDeclaringJobs(workflowId: number, after: number, limit: number): Script<DeclaringJob[]> {
  return yield* all<DeclaringJob>(
    `select job.id, job.name, job.scope, job.status, job.config, attempt.run_id, attempt.attempt_id
     from job left join attempt on attempt.id = (select max(newest.id) from attempt newest where newest.job_id = job.id)
     where job.workflow_id = ? and job.id > ? and job.blueprint < 2
       and (job.config like '%"input_files":[%' or job.config like '%"output_files":[%')
     order by job.id limit ?`,
    workflowId,
    after,
    limit,
  );
}

/** By job, of its newest attempt. */
export function* listNewestMarks(
  workflowId: number,
  jobIds: readonly number[],
): Script<Map<number, FileMark[]>> {
  const found = new Map<number, FileMark[]>();
  for (const list of idLists(jobIds)) {
    const rows = yield* all<FileMark & { job_id: number }>(
      `select job_id, role, path, kind, size, mtime_ns, hash, problem from file_mark
       where workflow_id = ? and job_id in ${placeholders(list.length)} and token = (
         select max(newest.id) from attempt newest where newest.job_id = file_mark.job_id)
       order by job_id, role, path`,
      workflowId,
      ...list,
    );
    for (const { job_id, ...mark } of rows) {
      const marks = found.get(job_id) ?? [];
      marks.push(mark);
      found.set(job_id, marks);
    }
  }
  return found;
}
