import { formatDuration } from '../../../core/text/quantity.ts';
import type { SimulatedFailure, SimulatedRound, SimulatedRun } from '../../../simulate/played-rounds.ts';
import type { RequestSimulation } from '../../../simulate/simulate-request.ts';
import { ledgerText, unitsText } from '../../../views/request-progress.ts';
import { runNames } from '../../../views/requests/run-names.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';
import { requestStyle } from '../requests/request-style.ts';
import { banLines, walkLines } from '../requests/round-walk.ts';

const FAILURES_SHOWN = 5;
const EXCLUDED_SHOWN = 10;

/** Quiet: the exit code. */
export const requestSimulationView: View<RequestSimulation> = {
  json: (simulation) => simulation,
  table: requestSimulationText,
  quiet: ({ exit_code }) => [String(exit_code)],
};

/** Every round with its runs and what was decided about them, the ledger, and the end. */
function requestSimulationText(simulation: RequestSimulation, style: TextStyle): string[] {
  const { request, sites, rounds, unused } = simulation;
  const where = sites.length > 1 ? ` at ${sites.map(visibleText).join(', ')}` : '';
  return [
    `request ${style.paint('bold', visibleText(request))}${where}`,
    ...rounds.flatMap((round) => roundLines(round, sites.length > 1, style)),
    '',
    ledgerText(simulation),
    ...excludedLines(simulation),
    endOf(simulation, style),
    ...(unused.length === 0 ? [] : [visibleText(`outcomes that were not used: ${unused.join(' ')}`)]),
  ];
}

function roundLines(round: SimulatedRound, hasSites: boolean, style: TextStyle): string[] {
  const { number, first_unit: first, last_unit: last, runs, released } = round;
  const units = first === last ? `unit ${first}` : `units ${first} to ${last}`;
  const names = runNames(runs);
  return [
    '',
    `${style.paint('bold', `round ${number}`)}  ${units}`,
    ...runs.flatMap((run, index) => runLines(run, names[index]!, hasSites, style)),
    ...(released === null
      ? []
      : [`  ${style.paint('yellow', 'held')}: ${visibleText(released.text)}; released`]),
  ];
}

function runLines(run: SimulatedRun, name: string, hasSites: boolean, { paint }: TextStyle): string[] {
  const { starts_at_ms: start, ends_at_ms: end, units, failures, decision, bans } = run;
  const time = [start, end].map((at) => (at === null ? '…' : formatDuration(at))).join(' to ');
  return [
    `  ${name}, ${time}${units === null ? '' : `: ${unitsText(units)}`}`,
    ...failureLines(failures, hasSites).map((line) => `    ${paint('red', 'failed')} ${line}`),
    ...banLines(bans, paint, '    '),
    ...(decision === null ? [] : walkLines(decision, paint, '    ')),
  ];
}

function failureLines(failures: readonly SimulatedFailure[], hasSites: boolean): string[] {
  const lines = failures.slice(0, FAILURES_SHOWN).map(({ job, site, attempts, outcome, reason }) => {
    const times = attempts === 1 ? '' : `, attempt ${attempts}`;
    return visibleText(`${job}${hasSites ? ` at ${site}` : ''}${times}: ${outcome} - ${reason}`);
  });
  const more = failures.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more jobs; --output json has them all`] : lines;
}

function excludedLines({ excluded }: RequestSimulation): string[] {
  const lines = excluded
    .slice(0, EXCLUDED_SHOWN)
    .map(({ item, reason }) => visibleText(`excluded: ${item}${reason === null ? '' : `, ${reason}`}`));
  const more = excluded.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function endOf(simulation: RequestSimulation, { paint }: TextStyle): string {
  const { end, exit_code, executions, ends_at_ms, status, hold, rounds } = simulation;
  const count = `${executions} ${executions === 1 ? 'execution' : 'executions'}`;
  const after = `after ${count}, ${formatDuration(ends_at_ms)}`;
  const state = paint(requestStyle(status), status);
  switch (end) {
    case 'completed':
      return `exit code ${exit_code} ${after}: ${state}`;
    case 'held':
      return `exit code ${exit_code} ${after}: ${state}, ${visibleText(hold?.text ?? '')}; --release plays a release`;
    case 'rounds':
      return `stopped ${after}: ${rounds.length} rounds were played and more would follow; --max-rounds plays more`;
    case 'executions':
      return `stopped ${after}: more would follow`;
    case 'stuck':
      return `nothing more can happen ${after}: ${state}; no site may run its jobs`;
  }
}
