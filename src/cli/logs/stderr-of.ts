import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { Explanation } from '../../contract/records/records.ts';
import { failedAttempt } from '../../views/explanation.ts';
import { tailLines } from './log-tail.ts';

const STDERR_LINES = 8;
const STDERR_BYTES = 16 * 1024;

/** The end of what the failed attempt of an explained job wrote to stderr; empty: nothing, or none failed. */
export async function stderrOf(engine: Engine, explanation: Explanation): Promise<string[]> {
  const attempt = failedAttempt(explanation);
  if (attempt === null) return [];
  const read = logReader(engine, explanation.job.workflow_id, attempt, 'stderr');
  return tailLines(read, STDERR_LINES, STDERR_BYTES);
}
