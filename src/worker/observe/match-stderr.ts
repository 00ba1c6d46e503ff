import type { FinishReport } from '../../contract/records/exchange.ts';
import type { Evaluation } from '../../core/job/evaluation.ts';
import type { PatternMatcher } from './pattern-matcher.ts';
import { readTail } from './read-tail.ts';

const LINES = 200;
const BYTES = 256 * 1024;
const SHOWN = 60;

/** Adds which of the patterns (RE2) are found in the last 200 lines of stderr; one that takes too long is an evaluation failure. */
export async function matchStderr(
  report: FinishReport,
  stderrPath: string,
  patterns: string[],
  matcher: PatternMatcher,
): Promise<void> {
  const tail = (await readTail(stderrPath, BYTES)).split('\n').slice(-LINES).join('\n');
  const { found, unmatched, problem, ms } = await matcher.match(patterns, tail);
  report.stderr_matches = found;
  if (unmatched.length === 0) return;
  report.evaluations = [...(report.evaluations ?? []), failure(unmatched, problem, ms)];
}

function failure([first = '', ...others]: string[], why: string, ms: number): Evaluation {
  const shown = first.length > SHOWN ? `${first.slice(0, SHOWN)}…` : first;
  const more = others.length === 0 ? '' : ` (${others.length} more not tried)`;
  const problem = `stderr: the pattern ${JSON.stringify(shown)} ${why}${more}`;
  return { key: 'stderr', result: { ok: false, problem }, ms, inputs: {} };
}
