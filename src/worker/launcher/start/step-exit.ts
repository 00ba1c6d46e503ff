import { signalNamed } from '../../../core/job/outcome.ts';

/** How the command of a step ended, as far as `srun` lets it be known. */
export interface StepExit {
  code: number | null;
  signal: string | null;
  isOutOfMemory: boolean;
  /** Why the step could not be started; null if it was. */
  problem: string | null;
}

/** What srun says of a task, and of itself. */
const TASK_LINE = /^srun: error: (?:\S+: )?tasks? [\d,[\]-]+: (.+)$/gm;
const ERROR_LINE = /^srun: (?:error|fatal): (.+)$/gm;

/**
 * Measured on Slurm 22.05: srun exits as its task did, and with 128 + n if signal n ended the task. That a task ended with
 * such a code by itself is only in what srun says: "task 0: Exited with exit code 139", not "task 0: Segmentation
 * fault". Where it failed without a word about a task, there was none.
 */
export function stepExit(code: number | null, signal: string | null, said: string): StepExit {
  const exit: StepExit = { code, signal, isOutOfMemory: false, problem: null };
  if (code === null || code === 0) return exit;
  const ends = [...said.matchAll(TASK_LINE)].map((match) => match[1]!);
  if (ends.length === 0) {
    const errors = [...said.matchAll(ERROR_LINE)].map((match) => match[1]!);
    return { ...exit, problem: errors.length === 0 ? null : `srun: ${errors.join('; ')}` };
  }
  const isOutOfMemory = ends.some((end) => /^Out Of Memory\b/i.test(end));
  const isExit = ends.some((end) => end === `Exited with exit code ${code}`);
  const byName = code > 128 && !isExit ? signalNamed(code - 128) : null;
  return byName === null
    ? { ...exit, isOutOfMemory }
    : { ...exit, code: null, signal: byName, isOutOfMemory };
}
