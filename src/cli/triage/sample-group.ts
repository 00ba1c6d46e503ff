import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { FailureGroup } from '../../contract/records/resolution.ts';
import { newestJob, type SampledFailureGroup } from '../../views/failure-group.ts';
import { tailLines } from '../logs/log-tail.ts';

const STDERR_LINES = 10;
const STDERR_BYTES = 16 * 1024;

/** Reads the end of the log of the job that failed last. */
export async function sampleGroup(
  engine: Engine,
  workflowId: number,
  group: FailureGroup,
): Promise<SampledFailureGroup> {
  const read = logReader(engine, workflowId, newestJob(group), 'stderr');
  const stderr = await tailLines(read, STDERR_LINES, STDERR_BYTES);
  return { ...group, stderr_tail: stderr.join('\n') };
}
