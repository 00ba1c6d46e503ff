import { statSync } from 'node:fs';
import type { Engine } from '../../core/engine.ts';
import { logReader } from '../../core/log-reader.ts';
import type { FailedJob, FailureGroup } from '../../core/resolution.ts';
import { tailLines } from '../logs/log-tail.ts';

const STDERR_LINES = 10;
const STDERR_BYTES = 16 * 1024;

/** Failures that look alike, with the end of what the newest of them wrote to stderr. */
export interface ToldGroup extends FailureGroup {
  stderr_tail: string;
}

export async function toldGroup(engine: Engine, workflowId: number, group: FailureGroup): Promise<ToldGroup> {
  const read = logReader(engine, workflowId, newestJob(group), 'stderr');
  const stderr = await tailLines(read, STDERR_LINES, STDERR_BYTES);
  return { ...group, stderr_tail: stderr.join('\n') };
}

/** The one whose log was written last; logs that are gone, or elsewhere, are the oldest. */
export function newestJob({ jobs }: Pick<FailureGroup, 'jobs'>): FailedJob {
  const [newest] = jobs
    .map((job) => ({ job, at: writtenAt(job.stderr_path) }))
    .sort((a, b) => b.at - a.at || b.job.job_id - a.job.job_id);
  return newest!.job;
}

function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
