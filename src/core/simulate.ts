import { decide } from './decide.ts';
import {
  type Decision,
  type HandlerOutcome,
  type History,
  NO_HISTORY,
  type Policy,
  type RuleName,
} from './decision.ts';
import type { JobStatus } from './job-status.ts';
import { type Category, describeOutcome } from './outcome.ts';
import type { SimulatedOutcome } from './simulated-outcome.ts';

export interface SimulationOptions {
  /** How long each execution takes. */
  durationMs: number;
  /** A timeout takes the runtime then in force instead, where there is one. */
  timeoutTakesRuntime?: boolean;
  /** Seeds the jitter of an attempt; its number unless told. */
  seed?: (attemptId: number) => number;
}

/** One attempt and what was decided about it. Times count from the first start; `--output json` prints these. */
export interface SimulatedStep {
  attempt_id: number;
  starts_at_ms: number;
  ends_at_ms: number;
  /** What the attempt may use. */
  memory_bytes: number | null;
  runtime_ms: number | null;
  outcome: string;
  match_code: number | null;
  category: Category | null;
  verdict: Decision['verdict']['kind'];
  rule: RuleName;
  reason: string;
  handler_outcome: HandlerOutcome | null;
  /** What becomes of the job; `ready` if it goes on. */
  status: JobStatus;
  failure_count: number;
  preemption_count: number;
  /** The attempt that follows; null at the end. */
  next: NextAttempt | null;
}

export interface NextAttempt {
  starts_at_ms: number;
  wait_ms: number;
  /** Run once before it. */
  recovery_script: string | null;
  memory_bytes: number | null;
  runtime_ms: number | null;
}

/**
 * The course a policy gives to these outcomes, up to the end of the job or of the outcomes. It keeps the history
 * that the engine keeps; recovery and post scripts take no time.
 */
export function simulate(
  policy: Policy,
  outcomes: readonly SimulatedOutcome[],
  { durationMs, timeoutTakesRuntime = false, seed = (attemptId) => attemptId }: SimulationOptions,
): SimulatedStep[] {
  const steps: SimulatedStep[] = [];
  let history: History = NO_HISTORY;
  let { memoryBytes, runtimeMs } = policy;
  let startsAt = 0;
  for (const { outcome, started, post, stderrMatches } of outcomes) {
    const attemptId = steps.length + 1;
    const duration = timeoutTakesRuntime && outcome.timedOut ? (runtimeMs ?? durationMs) : durationMs;
    const finishedAt = startsAt + (started ? duration : 0);
    const startedAt = started ? startsAt : null;
    const decision = decide(
      {
        outcome,
        attemptId,
        startedAt,
        finishedAt,
        seed: seed(attemptId),
        post,
        stderrMatches,
        superseded: false,
        disabled: false,
        failIf: null,
        // Code sees more than one job; `simulate --outcome` plays it.
        dynamic: { run: [], goto: null },
      },
      { ...policy, memoryBytes, runtimeMs },
      history,
    );
    history = remember(history, decision, startedAt);
    const next = nextAttempt(decision, finishedAt, memoryBytes, runtimeMs);
    steps.push({
      attempt_id: attemptId,
      starts_at_ms: startsAt,
      ends_at_ms: finishedAt,
      memory_bytes: memoryBytes,
      runtime_ms: runtimeMs,
      outcome: started ? describeOutcome(outcome) : 'lost before its start',
      match_code: decision.matchCode,
      category: decision.category,
      verdict: decision.verdict.kind,
      rule: decision.rule,
      reason: decision.reason,
      handler_outcome: decision.handlerOutcome,
      status: statusAfter(decision),
      failure_count: history.failures,
      preemption_count: history.preemptions,
      next,
    });
    if (next === null) break;
    startsAt = next.starts_at_ms;
    memoryBytes = next.memory_bytes;
    runtimeMs = next.runtime_ms;
  }
  return steps;
}

/** The history with one more attempt in it: failures and losses are charged, everything else is free. */
function remember(history: History, decision: Decision, startedAt: number | null): History {
  const { cause, rule, verdict } = decision;
  const lost = cause === 'lost' && startedAt !== null;
  const isReattempt = rule === 'routes' && verdict.kind === 'retry';
  const free = cause === 'lost' || cause === 'stopped' || cause === 'canceled' || verdict.kind === 'complete';
  return {
    failures: history.failures + (free ? 0 : 1),
    preemptions: history.preemptions + (lost ? 1 : 0),
    lossesInRow: lost ? history.lossesInRow + 1 : 0,
    firstStartedAt: history.firstStartedAt ?? startedAt,
    reattempts: history.reattempts + (isReattempt ? 1 : 0),
    loops: history.loops + (isReattempt ? 1 : 0),
  };
}

function nextAttempt(
  { verdict, recoveryScript, ...changes }: Decision,
  finishedAt: number,
  memoryBytes: number | null,
  runtimeMs: number | null,
): NextAttempt | null {
  if (verdict.kind !== 'retry' && verdict.kind !== 'requeue') return null;
  const startsAt = verdict.notBefore ?? finishedAt;
  return {
    starts_at_ms: startsAt,
    wait_ms: startsAt - finishedAt,
    recovery_script: recoveryScript,
    memory_bytes: changes.memoryBytes ?? memoryBytes,
    runtime_ms: changes.runtimeMs ?? runtimeMs,
  };
}

function statusAfter({ verdict }: Decision): JobStatus {
  switch (verdict.kind) {
    case 'complete':
      return 'completed';
    case 'retry':
    case 'requeue':
      return 'ready';
    case 'fail':
    case 'abort':
      return verdict.status;
    case 'ask':
      return 'pending_failed';
    case 'cancel':
      return 'canceled';
    case 'loop_abort':
      return verdict.status;
    case 'call':
    case 'goto':
    case 'supersede':
      return 'blocked';
    case 'disable':
      return 'disabled';
    case 'evaluate':
      throw new Error('all code has been asked');
  }
}
