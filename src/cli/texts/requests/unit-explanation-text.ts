import type { ExplainedUnit, UnitEnd } from '../../../views/requests/explained-unit.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, textTable } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { statusStyle } from '../workflow-state.ts';

const SHOWN_ITEMS = 20;
const SHOWN_OUTPUTS = 10;

export const unitExplanationView: View<ExplainedUnit> = {
  json: (explanation) => explanation,
  table: explanationLines,
  quiet: ({ unit }) => [unit.state],
};

/** The results of its work, its items, its jobs, how they ended in each run, and its outputs. */
function explanationLines(explanation: ExplainedUnit, style: TextStyle): string[] {
  const { request_name, version, unit, why, items, jobs, runs } = explanation;
  const name = visibleText(`${request_name}@${version}`);
  const columns: Column<ExplainedUnit['jobs'][number]>[] = [
    { title: 'JOB', value: (job) => job.name, shrink: 'middle' },
    { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
    { title: 'ATTEMPTS', value: ({ attempts }) => attempts, align: 'right' },
    { title: 'REASON', value: ({ reason }) => reason, shrink: 'end' },
  ];
  const failed = jobs.find(({ status }) => status === 'failed' || status === 'terminated');
  return [
    `${style.paint('bold', `${name} unit ${unit.number}`)}: ${unit.state}, of round ${unit.round} (workflow ${unit.workflow_id})`,
    visibleText(why),
    ...some(items, SHOWN_ITEMS, ({ path, state, reason }) => {
      return visibleText(`  ${path}: ${state}${reason === null ? '' : `, ${reason}`}`);
    }),
    '',
    ...textTable(columns, jobs, style.width, style.paint),
    ...runs.flatMap(({ run, run_id, ends }) => ['', `${run} (run ${run_id})`, ...ends.map(endLine)]),
    ...outputLines(unit.outputs),
    ...(failed === undefined ? [] : ['', `hint: ${style.command('explain', unit.workflow_id, failed.name)}`]),
  ];
}

function endLine({ job, attempt_id, state, outcome, category, reason }: UnitEnd): string {
  const times = attempt_id === 1 ? '' : `, attempt ${attempt_id}`;
  if (state === 'PENDING' || state === 'RUNNING') return visibleText(`  ${job}${times}: running`);
  const kind = category === null ? '' : ` (${category})`;
  return visibleText(`  ${job}${times}: ${outcome}${kind}${reason === null ? '' : ` - ${reason}`}`);
}

function outputLines(outputs: readonly string[]): string[] {
  if (outputs.length === 0) return [];
  return ['', 'outputs:', ...some(outputs, SHOWN_OUTPUTS, (path) => `  ${visibleText(path)}`)];
}

function some<T>(list: readonly T[], most: number, line: (each: T) => string): string[] {
  const more = list.length > most ? [`  and ${list.length - most} more`] : [];
  return [...list.slice(0, most).map(line), ...more];
}
