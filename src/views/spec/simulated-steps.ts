import type { SimulatedStep, Simulation } from '../../contract/records/overview.ts';
import { TERMINAL_STATUSES } from '../../core/job/job-status.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';

const ABORTS: ReadonlySet<SimulatedStep['verdict']> = new Set(['abort', 'loop_abort']);

/** What else a verdict ends, or where it leads. */
const ENDS: Partial<Record<SimulatedStep['verdict'], string>> = {
  abort: 'ends, and the workflow with it',
  loop_abort: 'ends, and its scope with it',
  goto: 'goes back',
  call: 'runs other steps',
};

/** `retry`, or the status that the job ends with. */
export function simulatedVerdict({ status, verdict }: SimulatedStep): string {
  return TERMINAL_STATUSES.has(status) && !ABORTS.has(verdict) ? status : verdict;
}

/** `execution 2 at 1m30s, after fix.sh, memory 3g`. */
export function simulatedNext(step: SimulatedStep): string {
  const { next } = step;
  if (next === null) return ENDS[step.verdict] ?? 'ends';
  return [
    `execution ${step.attempt_id + 1} at ${formatDuration(next.starts_at_ms)}`,
    next.recovery_script === null ? null : `after ${next.recovery_script.trim()}`,
    next.memory_bytes === null || next.memory_bytes === step.memory_bytes
      ? null
      : `memory ${formatSize(next.memory_bytes)}`,
    next.runtime_ms === null || next.runtime_ms === step.runtime_ms
      ? null
      : `runtime ${formatDuration(next.runtime_ms)}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** `failed after 3 executions, 5m`, or what would follow. */
export function simulatedEnd({ status, steps }: Simulation): string {
  const last = steps.at(-1)!;
  const executions = `${steps.length} ${steps.length === 1 ? 'execution' : 'executions'}`;
  if (last.next !== null) return `not at its end after ${executions}: ${simulatedNext(last)} would follow`;
  const time = formatDuration(last.ends_at_ms);
  // A route leads to other steps, and is not the end of this one.
  if (status === 'blocked') return `${last.verdict} after ${executions}, ${time}: ${simulatedNext(last)}`;
  return `${status} after ${executions}, ${time}`;
}
