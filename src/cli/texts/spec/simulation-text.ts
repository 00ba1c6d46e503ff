import { TERMINAL_STATUSES } from '../../../core/job/job-status.ts';
import { formatDuration, formatSize } from '../../../core/text/quantity.ts';
import type { SimulatedStep, Simulation } from '../../../simulate/simulate-job.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, textTable } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { statusStyle } from '../workflow-state.ts';

const ABORTS: ReadonlySet<SimulatedStep['verdict']> = new Set(['abort', 'loop_abort']);
/** What else a verdict ends, or where it leads. */
const ENDS: Partial<Record<SimulatedStep['verdict'], string>> = {
  abort: 'ends, and the workflow with it',
  loop_abort: 'ends, and its scope with it',
  goto: 'goes back; --outcome plays that',
  call: 'runs other steps; --outcome plays that',
};

export const simulationView: View<Simulation> = {
  json: (simulation) => simulation,
  table: simulationText,
  quiet: ({ status }) => [status],
};

/** The policy, the course it gives, and how that ends. */
function simulationText(simulation: Simulation, style: TextStyle): string[] {
  const { job, policy, steps } = simulation;
  const columns: Column<SimulatedStep>[] = [
    { title: 'TIME', value: (step) => formatDuration(step.starts_at_ms), align: 'right' },
    { title: 'EXECUTION', value: (step) => step.attempt_id, align: 'right' },
    { title: 'OUTCOME', value: (step) => step.outcome, shrink: 'end' },
    {
      title: 'VERDICT',
      value: (step) =>
        TERMINAL_STATUSES.has(step.status) && !ABORTS.has(step.verdict) ? step.status : step.verdict,
      style: (step) => statusStyle(step.status),
    },
    { title: 'WHY', value: (step) => step.reason, shrink: 'end' },
    { title: 'NEXT', value: nextOf, shrink: 'end' },
  ];
  return [
    `job ${style.paint('bold', visibleText(job))}`,
    ...policy.map((line) => visibleText(`  ${line}`)),
    '',
    ...textTable(columns, steps, style.width, style.paint),
    '',
    ...endOf(simulation),
  ];
}

/** `execution 2 at 1m30s, after fix.sh, memory 3g`. */
function nextOf(step: SimulatedStep): string {
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

function endOf({ status, steps, unused }: Simulation): string[] {
  const last = steps.at(-1)!;
  const executions = `${steps.length} ${steps.length === 1 ? 'execution' : 'executions'}`;
  if (last.next !== null) {
    return [
      visibleText(
        `not at its end after ${executions}: ${nextOf(last)} would follow; add its outcome to --outcomes`,
      ),
    ];
  }
  const time = formatDuration(last.ends_at_ms);
  // A route leads to other steps, and is not the end of this one.
  if (status === 'blocked') return [`${last.verdict} after ${executions}, ${time}: ${nextOf(last)}`];
  const lines = [`${status} after ${executions}, ${time}`];
  if (unused.length > 0) {
    lines.push(visibleText(`not used, because the job has ended by then: ${unused.join(', ')}`));
  }
  return lines;
}
