import type { RecoverResult } from '../../core/resolution.ts';
import type { CommandContext } from '../command-context.ts';
import { runProgram } from './run-program.ts';

/** The kernel takes no variable beyond 128 KB. */
const MOST_BYTES = 100 * 1024;

/**
 * Runs a command before anything is retried; false if it failed. It finds the failed jobs on stdin as JSON, and as far
 * as they fit in HOLDFAST_FAILED_JOBS.
 */
export async function runHook(
  { settings, stderr, narrate }: Pick<CommandContext, 'settings' | 'stderr' | 'narrate'>,
  command: string,
  workflowId: number,
  { retried, left }: RecoverResult,
  signal: AbortSignal,
): Promise<boolean> {
  const jobs = [
    ...retried.map(({ job_id, name, why }) => ({ job_id, name, why, retried: true })),
    ...left.map(({ job_id, name, why }) => ({ job_id, name, why, retried: false })),
  ];
  const end = await runProgram({
    command: ['bash', '-c', command],
    env: { HOLDFAST_WORKFLOW_ID: String(workflowId), HOLDFAST_FAILED_JOBS: jsonWithin(jobs, MOST_BYTES) },
    input: JSON.stringify(jobs),
    timeoutMs: null,
    graceMs: settings.grace,
    signal,
    // What is printed on stdout is ours.
    onOutput: (chunk) => stderr.write(chunk),
  });
  if (end.exitCode === 0 && !end.interrupted) return true;
  const how = end.problem ?? (end.interrupted ? 'interrupted' : (end.signal ?? `exit ${end.exitCode}`));
  narrate(`the recovery hook failed: ${how}; nothing was changed`);
  return false;
}

/** As many of the values as fit. */
function jsonWithin(values: readonly unknown[], mostBytes: number): string {
  const kept: string[] = [];
  let bytes = 2;
  for (const value of values) {
    const text = JSON.stringify(value);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > mostBytes) break;
    kept.push(text);
  }
  return `[${kept.join(',')}]`;
}
