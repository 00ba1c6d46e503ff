import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { JobDetails, JobRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { UNSUCCESSFUL_STATUSES } from '../../core/job/job-status.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { someNames } from '../texts/parts/some-names.ts';
import { jobRef } from './workflow-argument.ts';

const LABELS_SHOWN = 5;

/** The one job that a person named. */
export async function oneJob(engine: Engine, workflowId: number, text: string): Promise<JobDetails> {
  const job = await engine.getJob(workflowId, jobRef(text));
  await refuseSharedName(engine, workflowId, text, job);
  return job;
}

/** `found` is the first job of the name. Those of other items of a forEach must not be passed over without a word. */
export async function refuseSharedName(
  engine: Engine,
  workflowId: number,
  text: string,
  found: Pick<JobRecord, 'name' | 'scope'>,
): Promise<void> {
  if (found.scope === '' || text !== found.name) return;
  const similar = await allPages((page) => engine.listJobs(workflowId, { ...page, name: text }));
  const jobs = similar.filter(({ name }) => name === text);
  if (jobs.length < 2) return;
  const ranked = jobs.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
  const labels = ranked.map((job) => `${shellWord(jobLabel(job))} (${shownStatus(job.status)})`);
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: text,
    problem: `is the name of ${jobs.length} jobs; name one of ${someNames(labels, LABELS_SHOWN)}`,
  });
}

/** What went wrong is what people look for. */
function rank({ status }: JobRecord): number {
  if (UNSUCCESSFUL_STATUSES.has(status) || status === 'pending_failed') return 0;
  return status === 'completed' ? 2 : 1;
}
