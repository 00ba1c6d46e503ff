import { jobLabel } from '../../core/job-label.ts';
import { describeOutcome } from '../../core/outcome.ts';
import { formatDuration } from '../../core/quantity.ts';
import type { AttemptRecord, EventRecord, Explanation } from '../../core/records.ts';
import { evaluationText, routeText } from './evaluation-text.ts';
import { eventText } from './event-text.ts';
import { attemptOutcome } from './list-tables.ts';
import { shortTime } from './local-time.ts';
import { shortPath } from './run-result-text.ts';
import type { TextStyle } from './text-style.ts';
import { visibleText } from './visible-text.ts';
import { statusStyle } from './workflow-state.ts';

const DEPENDENCIES_SHOWN = 20;

/** The headline, then each attempt with the rules that were asked and who decided, then what happens next. */
export function explanationText(
  explanation: Explanation,
  style: TextStyle,
  decisions: readonly EventRecord[] = [],
): string[] {
  const { job, attempts } = explanation;
  const { paint, now, cwd } = style;
  const status = paint(statusStyle(job.status) ?? 'dim', job.status);
  const lines = [
    `${paint('bold', visibleText(jobLabel(job)))} (job ${job.id}, run ${job.run_id}): ${status}`,
    visibleText(explanation.headline),
  ];

  const open = job.depends_on.filter((dependency) => dependency.status !== 'completed');
  for (const dependency of open.slice(0, DEPENDENCIES_SHOWN)) {
    lines.push(`  after ${visibleText(dependency.name)}, which is ${dependency.status}`);
  }
  if (open.length > DEPENDENCIES_SHOWN) lines.push(`  and ${open.length - DEPENDENCIES_SHOWN} more`);

  for (const { attempt, walk } of attempts) {
    const took =
      attempt.started_at_ms === null
        ? 'never started'
        : `started ${shortTime(attempt.started_at_ms, now)}, ${
            attempt.finished_at_ms === null
              ? `running for ${formatDuration(now - attempt.started_at_ms)}`
              : `took ${formatDuration(attempt.finished_at_ms - attempt.started_at_ms)}`
          }`;
    lines.push(
      '',
      `attempt ${attempt.attempt_id} of run ${attempt.run_id}: ${visibleText(attemptOutcome(attempt))} (${took})`,
    );
    if (attempt.caller !== null) lines.push(`    called by ${visibleText(attempt.caller)}`);
    const width = Math.max(0, ...walk.map(({ rule }) => rule.length));
    for (const step of walk) {
      const line = `  ${step.applies ? '→' : ' '} ${step.rule.padEnd(width)}  ${visibleText(step.because)}`;
      lines.push(step.applies ? line : paint('dim', line));
    }
    if (attempt.cause !== null && attempt.started_at_ms !== null)
      lines.push(`    stderr: ${visibleText(shortPath(attempt.stderr_path, cwd))}`);
    lines.push(...handlerLines(attempt, style), ...routeLines(attempt));
    const about = decisions.filter(
      ({ run_id, attempt_id }) => run_id === attempt.run_id && attempt_id === attempt.attempt_id,
    );
    lines.push(...about.map((event) => decisionLine(event, style)));
  }
  // What was changed of the job as a whole.
  const others = decisions.filter(({ attempt_id }) => attempt_id === null);
  if (others.length > 0) lines.push('', ...others.map((event) => decisionLine(event, style)));
  lines.push('', `next: ${visibleText(explanation.next)}`);
  if (explanation.hint !== null) lines.push(`hint: ${visibleText(explanation.hint)}`);
  return lines;
}

function decisionLine(event: EventRecord, { now }: TextStyle): string {
  return `    ${shortTime(event.at_ms, now)}: ${visibleText(eventText(event) ?? event.type)}`;
}

/** What became of the failure handler and of the script that ran before the retry. */
function handlerLines(
  { handler_outcome, recovery, stderr_path }: AttemptRecord,
  { cwd }: TextStyle,
): string[] {
  const lines: string[] = [];
  // Without a handler the walk has said so.
  if (handler_outcome !== null && handler_outcome !== 'NoHandler') {
    lines.push(`    failure handler: ${handler_outcome}`);
  }
  if (recovery !== null) {
    const log = shortPath(stderr_path.replace(/\.e$/, '.recovery.e'), cwd);
    lines.push(`    recovery script: ${visibleText(describeOutcome(recovery))} (${visibleText(log)})`);
  }
  return lines;
}

/** What the code of the job said, and where that led. */
function routeLines({ evaluations, route }: AttemptRecord): string[] {
  const lines = evaluations.map((evaluation) => `    ${evaluationText(evaluation)}`);
  if (route !== null)
    lines.push(`    route: ${routeText(route)} (loops: ${route.loop} of ${route.max_loops})`);
  return lines;
}
