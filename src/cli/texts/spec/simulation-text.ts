import type { SimulatedStep, Simulation } from '../../../contract/records/overview.ts';
import { formatDuration } from '../../../core/text/quantity.ts';
import { simulatedEnd, simulatedNext, simulatedVerdict } from '../../../views/spec/simulated-steps.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, foldingTable } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { statusStyle } from '../workflow-state.ts';

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
    { title: 'VERDICT', value: simulatedVerdict, style: (step) => statusStyle(step.status) },
    { title: 'WHY', value: (step) => step.reason, fold: true },
    { title: 'NEXT', value: (step) => `${simulatedNext(step)}${playedBy(step)}`, fold: true },
  ];
  return [
    `job ${style.paint('bold', visibleText(job))}`,
    ...policy.map((line) => visibleText(`  ${line}`)),
    '',
    ...foldingTable(columns, steps, style.width, style.paint),
    '',
    ...endOf(simulation),
  ];
}

/** Where a route leads is for the whole workflow. */
function playedBy({ next, verdict }: SimulatedStep): string {
  return next === null && (verdict === 'goto' || verdict === 'call') ? '; --outcome plays that' : '';
}

function endOf(simulation: Simulation): string[] {
  const { steps, unused } = simulation;
  const last = steps.at(-1)!;
  const end = visibleText(simulatedEnd(simulation));
  if (last.next !== null) return [`${end}; add its outcome to --outcomes`];
  const lines = [`${end}${playedBy(last)}`];
  if (unused.length > 0 && simulation.status !== 'blocked') {
    lines.push(visibleText(`not used, because the job has ended by then: ${unused.join(', ')}`));
  }
  return lines;
}
