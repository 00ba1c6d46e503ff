import type { RouteTaken } from '../../contract/records/records.ts';
import type { Evaluation } from '../../core/job/evaluation.ts';
import { visibleText } from '../visible-text.ts';

const RESULT_SHOWN = 500;

/** `goto_js gave "setup" (1.2 ms)`, or why it gave nothing. */
export function evaluationText({ key, result, ms }: Evaluation): string {
  const said = result.ok ? `gave ${shortJson(result.value)}` : `failed: ${visibleText(result.problem)}`;
  return `${key} ${said} (${ms.toFixed(1)} ms)`;
}

/** What the code saw of the small things. */
export function inputsText({ inputs }: Evaluation): string {
  return shortJson(inputs);
}

/** `goto setup`, `retry after lint-fix, notify`, `call notify`. */
export function routeText({ kind, run = [], target }: RouteTaken): string {
  if (target !== undefined) return visibleText(`${kind} ${target}`);
  if (run.length === 0) return kind;
  return visibleText(`${kind}${kind === 'retry' ? ' after' : ''} ${run.join(', ')}`);
}

function shortJson(value: unknown): string {
  const text = visibleText(JSON.stringify(value) ?? 'undefined');
  return text.length > RESULT_SHOWN ? `${text.slice(0, RESULT_SHOWN)}…` : text;
}
