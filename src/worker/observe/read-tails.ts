import type { EvaluationOrder } from '../../contract/records/errand.ts';
import type { LogTails } from '../execute/code-evaluator.ts';
import { readTail } from './read-tail.ts';

const BYTES = 8 * 1024;

/** What code sees of the logs of an attempt. */
export async function readTails({ stdout, stderr }: NonNullable<EvaluationOrder['logs']>): Promise<LogTails> {
  return { stdout: await readTail(stdout, BYTES), stderr: await readTail(stderr, BYTES) };
}
