import type { RecoverResult } from '../../contract/records/resolution.ts';
import { jsonWithin, MOST_VARIABLE_BYTES } from '../../core/text/json-within.ts';
import type { CommandContext } from '../command-context.ts';
import { runProgram } from './run-program.ts';

/** A program and its arguments, without anything that means something to the shell. */
const PLAIN_WORDS = /^\s*[\w@%+:,./~-]+(\s+[\w@%+=:,./~-]+)*\s*$/;

/**
 * Runs a command before anything is retried; false if it failed. It has the number of the workflow in `$1`; a program
 * with plain arguments is given it as its last argument. It finds the failed jobs on stdin as JSON, and as far as they
 * fit in HOLDFAST_FAILED_JOBS.
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
  const id = String(workflowId);
  const end = await runProgram({
    command: ['bash', '-c', PLAIN_WORDS.test(command) ? `${command} "$1"` : command, 'recovery-hook', id],
    env: {
      HOLDFAST_WORKFLOW_ID: id,
      TORC_WORKFLOW_ID: id,
      HOLDFAST_FAILED_JOBS: jsonWithin(jobs, MOST_VARIABLE_BYTES),
    },
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
