import type { AttemptRecord, Explanation } from '../../src/contract/records/records.ts';
import { describeOutcome } from '../../src/core/job/outcome.ts';
import { formatDuration, formatSize } from '../../src/core/text/quantity.ts';
import { attemptOutcome, attemptRuntime } from '../../src/views/attempt.ts';
import { evaluationText, routeText } from '../../src/views/events/evaluation-text.ts';
import { eventText } from '../../src/views/events/event-text.ts';
import { decisionsAbout, type ExplainedJob, saysSomething } from '../../src/views/explanation.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { RuleWalk } from '../parts/rule-walk.tsx';
import { StatusMark, type Tone } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { fullTime, useNow } from '../parts/times.ts';

const TONES: Record<AttemptRecord['state'], Tone> = {
  PENDING: 'waits',
  RUNNING: 'runs',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  WORKER_FAILED: 'bad',
  KILLED: 'off',
  STOPPED: 'off',
  SKIPPED: 'off',
};

type Walk = Explanation['attempts'][number]['walk'];

/** How an attempt ended, which rule decided, and folded those that did not apply. */
export function AttemptCard({
  attempt,
  walk,
  explained,
}: {
  attempt: AttemptRecord;
  walk: Walk;
  explained: ExplainedJob;
}) {
  const { attempt_id, run_id, state, started_at_ms, category, rule, reason, usage, caller } = attempt;
  const now = useNow();
  const took = attemptRuntime(attempt, now);
  // The rule that decided says it already, as a rule.
  const isNews = reason !== null && !walk.some(({ applies, because }) => applies && because === reason);
  const facts = [
    `run ${run_id}`,
    took !== null && `${attempt.finished_at_ms === null ? 'running for' : 'took'} ${formatDuration(took)}`,
    category !== null && category,
    rule !== null && `rule ${rule}`,
    usage !== null && `peak memory ${formatSize(usage.peak_rss_bytes)}`,
    caller !== null && `called by ${caller}`,
  ].filter((fact) => fact !== false);
  return (
    <li className="rounded-lg border border-line bg-card px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="font-semibold">
          <StatusMark tone={TONES[state]}>Attempt {attempt_id}</StatusMark>
        </h3>
        <span className="wrap-anywhere">
          {attempt.finished_at_ms === null ? state.toLowerCase() : visibleText(attemptOutcome(attempt))}
        </span>
        {started_at_ms !== null && (
          <span className="ml-auto text-sm text-quiet">
            <TimeText at={started_at_ms} />
          </span>
        )}
      </div>
      <p className="text-sm text-quiet wrap-anywhere">{visibleText(facts.join(' · '))}</p>
      {isNews && <p className="mt-1 text-sm wrap-anywhere">{visibleText(reason)}</p>}
      <RuleWalk walk={walk} says={(step) => saysSomething(attempt, step)} />
      <More attempt={attempt} explained={explained} />
    </li>
  );
}

/** Handlers, code, routes and decisions, where there were any. */
function More({ attempt, explained }: { attempt: AttemptRecord; explained: ExplainedJob }) {
  const { handler_outcome, recovery, evaluations, route } = attempt;
  const lines = [
    handler_outcome !== null && handler_outcome !== 'NoHandler' && `failure handler: ${handler_outcome}`,
    recovery !== null && `recovery script: ${describeOutcome(recovery)}`,
    ...evaluations.map(evaluationText),
    route !== null && `route: ${routeText(route)} (loops: ${route.loop} of ${route.max_loops})`,
    ...decisionsAbout(explained, attempt).map(
      (event) => `${fullTime(event.at_ms)}: ${eventText(event) ?? event.type}`,
    ),
  ].filter((line) => line !== false);
  if (lines.length === 0) return null;
  return (
    <ul className="mt-2 list-disc pl-6 text-sm wrap-anywhere">
      {lines.map((line) => (
        <li key={line}>{visibleText(line)}</li>
      ))}
    </ul>
  );
}
