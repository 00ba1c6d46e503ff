import { formatDuration } from '../../../core/text/quantity.ts';
import { unitsText } from '../../../views/request-progress.ts';
import type { ExplainedRound } from '../../../views/requests/explained-round.ts';
import { visibleText } from '../../../views/visible-text.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';
import { banLines, walkLines } from './round-walk.ts';

const SHOWN_UNITS = 10;

export const roundExplanationView: View<ExplainedRound> = {
  json: (explanation) => explanation,
  table: explanationLines,
  quiet: ({ state }) => [state],
};

/** Each run with the rules that were checked at its end and the bans that followed, then the units that are not done. */
function explanationLines(explanation: ExplainedRound, style: TextStyle): string[] {
  const { request_name, version, number, state, workflow_id, units, runs } = explanation;
  const name = visibleText(`${request_name}@${version}`);
  return [
    `${style.paint('bold', `${name} round ${number}`)}: ${state}, ${unitsText(units)} (workflow ${workflow_id})`,
    ...runs.flatMap((run) => runLines(run, style)),
    ...failedLines(explanation, style),
  ];
}

function runLines(run: ExplainedRound['runs'][number], { paint, now }: TextStyle): string[] {
  const { started_at_ms: start, finished_at_ms: end, units, decision, bans } = run;
  const times =
    start === null
      ? 'not started'
      : end === null
        ? `since ${shortTime(start, now)}`
        : `${shortTime(start, now)}, took ${formatDuration(end - start)}`;
  const counts = units === null ? '' : `: ${unitsText(units)}`;
  const why = end !== null && decision === null ? ['  nothing was decided: the run was stopped'] : [];
  return [
    '',
    `${run.run} (run ${run.run_id}, ${times})${counts}`,
    ...(decision === null ? why : walkLines(decision, paint, '  ')),
    ...banLines(bans, paint, '  '),
  ];
}

function failedLines(
  { failed, units, request_name, version }: ExplainedRound,
  { command }: TextStyle,
): string[] {
  if (failed.length === 0) return [];
  const lines = failed.slice(0, SHOWN_UNITS).map(({ number, state, first, last, size }) => {
    const work = first === null ? `${size} ${size === 1 ? 'item' : 'items'}` : `numbers ${first} to ${last}`;
    return `  unit ${number}: ${state}, ${work}`;
  });
  const more = units.failed + units.not_run - lines.length;
  return [
    '',
    'units that are not done:',
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `hint: ${command('explain', `${request_name}@${version}`, '--unit', failed[0]!.number)}`,
  ];
}
