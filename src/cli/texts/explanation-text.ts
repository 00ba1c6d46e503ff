import type { Hint } from '../../contract/records/hint.ts';
import type { AttemptRecord, EventRecord } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { describeOutcome } from '../../core/job/outcome.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { attemptOutcome } from '../../views/attempt.ts';
import { evaluationText, routeText } from '../../views/events/evaluation-text.ts';
import { eventText } from '../../views/events/event-text.ts';
import { decisionsAbout, type ExplainedJob, failedAttempt, saysSomething } from '../../views/explanation.ts';
import { visibleText } from '../../views/visible-text.ts';
import { waitText } from '../../views/wait-text.ts';
import { ellipsizeEnd } from '../terminal/display-width.ts';
import { clockTime, shortTime } from '../terminal/local-time.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { hintCommand, hintPurpose } from './parts/hint-command.ts';
import { shortPath } from './run-result-text.ts';
import { statusStyle } from './workflow-state.ts';

const DEPENDENCIES_SHOWN = 20;
/** Of a line of stderr, however wide the terminal is. */
const LINE_SHOWN = 300;

/** An explanation with what is read and worked out for people. */
export interface ShownExplanation {
  explained: ExplainedJob;
  /** The last lines of `failedAttempt`; null: they are shown elsewhere. */
  stderr: readonly string[] | null;
  hints: readonly Hint[];
  /** Also show the rules that did not apply. */
  allRules: boolean;
}

export const explanationView: View<ShownExplanation> = {
  json: ({ explained }) => explained,
  table: explanationText,
  quiet: ({ explained }) => [explained.job.status],
};

/** The reason with the end of stderr, then each attempt with the rules that decided and who did, then what happens next. */
export function explanationText(shown: ShownExplanation, style: TextStyle): string[] {
  const { explained: explanation, allRules } = shown;
  const { job, attempts } = explanation;
  const failed = failedAttempt(explanation);
  const { paint, now, cwd } = style;
  const status = paint(statusStyle(job.status) ?? 'dim', shownStatus(job.status));
  const lines = [
    `${paint('bold', visibleText(jobLabel(job)))} (job ${job.id}, run ${job.run_id}): ${status}`,
    visibleText(explanation.headline),
    ...stderrLines(shown, style),
  ];

  for (const wait of explanation.waits) lines.push(`  ${visibleText(waitText(wait, clockTime))}`);
  const open = job.depends_on.filter((dependency) => dependency.status !== 'completed');
  for (const dependency of open.slice(0, DEPENDENCIES_SHOWN)) {
    lines.push(`  after ${visibleText(dependency.name)}, which is ${shownStatus(dependency.status)}`);
  }
  if (open.length > DEPENDENCIES_SHOWN) lines.push(`  and ${open.length - DEPENDENCIES_SHOWN} more`);

  for (const { attempt, walk } of attempts) {
    lines.push('', `attempt ${attempt.attempt_id} of run ${attempt.run_id}: ${attemptText(attempt, now)}`);
    if (attempt.caller !== null) lines.push(`    called by ${visibleText(attempt.caller)}`);
    const steps = allRules ? walk : walk.filter((step) => saysSomething(attempt, step));
    const width = Math.max(0, ...steps.map(({ rule }) => rule.length));
    for (const step of steps) {
      const line = `  ${step.applies ? '→' : ' '} ${step.rule.padEnd(width)}  ${visibleText(step.because)}`;
      lines.push(step.applies ? line : paint('dim', line));
    }
    if (
      attempt.cause !== null &&
      attempt.started_at_ms !== null &&
      (shown.stderr === null || attempt !== failed)
    )
      lines.push(`    stderr: ${visibleText(shortPath(attempt.stderr_path, cwd))}`);
    lines.push(...handlerLines(attempt, style), ...routeLines(attempt));
    lines.push(...decisionsAbout(explanation, attempt).map((event) => decisionLine(event, style)));
  }
  lines.push(...foldedLine(shown, style));
  const others = decisionsAbout(explanation, null);
  if (others.length > 0) lines.push('', ...others.map((event) => decisionLine(event, style)));
  lines.push('', `next: ${visibleText(explanation.next)}`);
  return [...lines, ...offerLines(shown.hints, style)];
}

/** `exit 1 (started 12:01:09, took 2s)`, or for how long it has been running. */
function attemptText(attempt: AttemptRecord, now: number): string {
  const { started_at_ms, finished_at_ms } = attempt;
  const outcome = visibleText(attemptOutcome(attempt));
  if (started_at_ms === null) return `${outcome} (never started)`;
  const started = `started ${shortTime(started_at_ms, now)}`;
  return finished_at_ms === null
    ? `running for ${formatDuration(now - started_at_ms)} (${started})`
    : `${outcome} (${started}, took ${formatDuration(finished_at_ms - started_at_ms)})`;
}

/** The excerpt that most often says it all, right below the reason. */
function stderrLines({ explained, stderr }: ShownExplanation, { paint, cwd, width }: TextStyle): string[] {
  const attempt = failedAttempt(explained);
  if (attempt === null || stderr === null) return [];
  const path = visibleText(shortPath(attempt.stderr_path, cwd));
  const room = Math.min(LINE_SHOWN, Math.max(20, width - 4));
  return [
    `  stderr of attempt ${attempt.attempt_id}: ${path}${stderr.length === 0 ? ' (empty)' : ''}`,
    ...stderr.map((line) => `  ${paint('dim', '|')} ${ellipsizeEnd(visibleText(line), room)}`),
  ];
}

function foldedLine({ explained: { attempts }, allRules }: ShownExplanation, { paint }: TextStyle): string[] {
  const folded = allRules
    ? []
    : attempts.flatMap(({ attempt, walk }) => walk.filter((step) => !saysSomething(attempt, step)));
  if (folded.length === 0) return [];
  const text =
    folded.length === 1
      ? '1 rule did not apply (--all shows it)'
      : `${folded.length} rules did not apply (--all shows them)`;
  return ['', paint('dim', text)];
}

/** Commands to paste, with their purposes where there are several. */
function offerLines(hints: readonly Hint[], style: TextStyle): string[] {
  const offers = hints.map((hint) => [visibleText(hintCommand(hint, style)), hintPurpose(hint)] as const);
  const width = Math.max(0, ...offers.map(([command]) => command.length)) + 2;
  return offers.map(([command, purpose]) =>
    `  ${purpose === null ? command : command.padEnd(width) + purpose}`.trimEnd(),
  );
}

function decisionLine(event: EventRecord, { now }: TextStyle): string {
  return `    ${shortTime(event.at_ms, now)}: ${visibleText(eventText(event) ?? event.type)}`;
}

/** The results of the failure handler and of the script that ran before the retry. */
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
