import type { SimulatedStep } from '../../src/contract/records/overview.ts';
import { describeOutcome, type Outcome } from '../../src/core/job/outcome.ts';
import { decide } from '../../src/core/policy/decide.ts';
import { type Decision, type History, NO_HISTORY, type Policy } from '../../src/core/policy/decision.ts';
import type { SimulatedOutcome } from '../../src/simulate/simulated-outcome.ts';

export interface SimulationOptions {
  /** How long each execution takes. */
  durationMs: number;
  /** A timeout takes the runtime then in force instead, where there is one. */
  timeoutTakesRuntime?: boolean;
  /** Seeds the jitter of an attempt; its number by default. */
  seed?: (attemptId: number) => number;
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
    const duration = timeoutTakesRuntime && outcome.timed_out ? (runtimeMs ?? durationMs) : durationMs;
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
        retried: null,
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
      outcome: started ? describeOutcome(withLimit(outcome, runtimeMs)) : 'lost before its start',
      match_code: decision.matchCode,
      category: decision.category,
      verdict: decision.verdict.kind,
      rule: decision.rule,
      reason: decision.reason,
      handler_outcome: decision.handlerOutcome,
      status: decision.status,
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

/** A simulated timeout is one of the limit then in force. */
function withLimit(outcome: Outcome, runtimeMs: number | null): Outcome {
  return outcome.timed_out && runtimeMs !== null ? { ...outcome, time_limit_ms: runtimeMs } : outcome;
}

/** The history with one more attempt in it: failures and losses are charged, everything else is free. */
function remember(history: History, decision: Decision, startedAt: number | null): History {
  const { charge, rule, verdict } = decision;
  const lost = charge === 'preemption';
  const isReattempt = rule === 'routes' && verdict.kind === 'retry';
  return {
    failures: history.failures + (charge === 'failure' ? 1 : 0),
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
): NonNullable<SimulatedStep['next']> | null {
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
