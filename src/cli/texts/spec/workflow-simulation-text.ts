import { formatDuration } from '../../../core/text/quantity.ts';
import type { SimulatedExecution, WorkflowSimulation } from '../../../simulate/simulate-workflow.ts';
import { routeText } from '../../../views/events/evaluation-text.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, foldingTable } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { recordLabel } from '../parts/record-label.ts';
import { statusStyle } from '../workflow-state.ts';

/** Of a long course the beginning and the end are shown. */
const SHOWN_AT_EACH_END = 50;
const IDLE_SHOWN = 20;

/** What people call a verdict that ends a job. */
const ENDS: Record<string, string> = { complete: 'completed', fail: 'failed', disable: 'disabled' };

/** Quiet: the exit code. */
export const workflowSimulationView: View<WorkflowSimulation> = {
  json: (simulation) => simulation,
  table: workflowSimulationText,
  quiet: ({ exit_code }) => [String(exit_code)],
};

/** Every execution in order, the jobs that did not run, and the end. */
function workflowSimulationText(simulation: WorkflowSimulation, style: TextStyle): string[] {
  const { workflow, executions } = simulation;
  const cut = executions.length > 2 * SHOWN_AT_EACH_END;
  const shown = cut
    ? [...executions.slice(0, SHOWN_AT_EACH_END), ...executions.slice(-SHOWN_AT_EACH_END)]
    : executions;
  const columns: Column<SimulatedExecution>[] = [
    { title: 'TIME', value: (each) => formatDuration(each.starts_at_ms), align: 'right' },
    { title: 'STEP', value: (each) => recordLabel({ ...each, job_name: each.step }), shrink: 'middle' },
    { title: 'EXECUTION', value: (each) => each.attempt_id, align: 'right' },
    { title: 'OUTCOME', value: (each) => each.outcome, shrink: 'end' },
    { title: 'VERDICT', value: verdictOf, style: (each) => statusStyle(verdictOf(each) as never) },
    { title: 'ROUTE', value: ({ route }) => (route === null ? null : routeText(route)), shrink: 'end' },
    { title: 'WHY', value: whyOf, fold: true },
  ];
  const [header, ...rows] = foldingTable(columns, shown, style.width, style.paint);
  if (cut) {
    const left = `${executions.length - shown.length} more in between; --output json has them all`;
    rows.splice(SHOWN_AT_EACH_END, 0, style.paint('dim', left));
  }
  return [
    `workflow ${style.paint('bold', visibleText(workflow))}`,
    '',
    header!,
    ...rows,
    '',
    endOf(simulation),
    ...idleLines(simulation),
  ];
}

function verdictOf({ verdict }: SimulatedExecution): string {
  return verdict === null ? '-' : (ENDS[verdict] ?? verdict);
}

function whyOf({ caller, reason }: SimulatedExecution): string | null {
  const parts = [caller === null ? null : `called by ${caller}`, reason];
  return parts.filter((part) => part !== null).join('; ') || null;
}

function endOf({ end, exit_code, executions, ends_at_ms }: WorkflowSimulation): string {
  const count = executions.filter(({ started }) => started).length;
  const after = `after ${count} ${count === 1 ? 'execution' : 'executions'}, ${formatDuration(ends_at_ms)}`;
  switch (end) {
    case 'complete':
      return `exit code ${exit_code} ${after}`;
    case 'waiting':
      return `exit code ${exit_code} ${after}: waiting for a decision`;
    case 'endless':
      return `stopped ${after}: more would follow; max_loops bounds how often routes are taken`;
    case 'stopped':
    case 'stuck':
      return `nothing more can happen ${after}, although jobs are left`;
  }
}

function idleLines({ jobs, unused }: WorkflowSimulation): string[] {
  const idle = jobs.filter(({ executions }) => executions === 0);
  const lines = idle.slice(0, IDLE_SHOWN).map(({ step, scope, status, reason }) => {
    const why = reason ?? (status === 'disabled' ? 'nothing called it' : null);
    return visibleText(
      `not run: ${recordLabel({ job_name: step, scope })} (${status}${why === null ? '' : `: ${why}`})`,
    );
  });
  if (idle.length > IDLE_SHOWN) lines.push(`and ${idle.length - IDLE_SHOWN} more`);
  if (unused.length > 0) lines.push(visibleText(`outcomes that were not used: ${unused.join(' ')}`));
  return lines;
}
