import { unitsText } from '../../../views/request-progress.ts';
import type { ExplainedRequest } from '../../../views/requests/explained-request.ts';
import { historyText } from '../../../views/requests/history-text.ts';
import { openRoundText } from '../../../views/requests/open-round-text.ts';
import { visibleText } from '../../../views/visible-text.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';
import { requestStyle } from './request-style.ts';
import { nextSteps } from './request-text.ts';
import { banLines, walkLines } from './round-walk.ts';

const SHOWN_HISTORY = 5;

export const requestExplanationView: View<ExplainedRequest> = {
  json: (explanation) => explanation,
  table: explanationLines,
  quiet: ({ status }) => [status],
};

/** Where the request is and why, the last decision with its walk, what the open round may lead to, and what helps. */
function explanationLines(explanation: ExplainedRequest, style: TextStyle): string[] {
  const { request_name, version, status, why, decided, open_round, history } = explanation;
  const { paint, now } = style;
  const past = history
    .map((entry) => ({ at: entry.at_ms, text: historyText(entry) }))
    .filter(({ text }) => text !== null)
    .slice(0, SHOWN_HISTORY)
    .map(({ at, text }) => `  ${shortTime(at, now)}  ${text}`);
  return [
    `${paint('bold', visibleText(`${request_name}@${version}`))}: ${paint(requestStyle(status), status)}`,
    visibleText(why),
    ...(open_round === null ? [] : [openRoundText(open_round)]),
    ...(decided === null
      ? []
      : [
          '',
          `round ${decided.round}, ${decided.run}: ${unitsText(decided.units)}`,
          ...walkLines(decided.decision, paint, '  '),
          ...banLines(decided.bans, paint, '  '),
        ]),
    ...(past.length === 0 ? [] : ['', 'what happened, newest first:', ...past]),
    ...nextSteps(explanation, style),
  ];
}
