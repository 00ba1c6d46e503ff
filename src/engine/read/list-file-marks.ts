import type { PageQuery } from '../../contract/engine.ts';
import type { JobMarks, Page } from '../../contract/records/records.ts';
import type { FileMark } from '../../core/files/file-mark.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { statusName } from '../../core/job/job-status.ts';
import {
  type DeclaringJob,
  listDeclaringJobs,
  listNewestMarks,
} from '../../store/rows/attempts/file-mark-rows.ts';
import { decodeConfig } from '../../store/rows/jobs/job-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { readPage } from '../records/page.ts';

/** Jobs that declare files, with what is known of the files. */
export function* fileMarksPage(workflowId: number, query: PageQuery): Script<Page<JobMarks>> {
  yield* needWorkflow(workflowId);
  return yield* readPage(
    query,
    0,
    (after, limit) => listMarked(workflowId, after, limit),
    jobMarks,
    (row) => row.id,
  );
}

/** Marks in JSON: a page is limited by what its texts take. */
type MarkedRow = DeclaringJob & { marks: string };

function* listMarked(workflowId: number, after: number, limit: number): Script<MarkedRow[]> {
  const jobs = yield* listDeclaringJobs(workflowId, after, limit);
  const ids = jobs.filter(({ attempt_id }) => attempt_id !== null).map(({ id }) => id);
  const marks = yield* listNewestMarks(workflowId, ids);
  return jobs.map((job) => ({ ...job, marks: JSON.stringify(marks.get(job.id) ?? []) }));
}

function jobMarks({ id, name, scope, status, config, run_id, attempt_id, marks }: MarkedRow): JobMarks {
  const { cwd, given_files: given } = decodeConfig(config);
  return {
    job_id: id,
    name: jobLabel({ name, scope }),
    status: statusName(status),
    run_id,
    attempt_id,
    cwd,
    given,
    files: JSON.parse(marks) as FileMark[],
  };
}
