import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Ended, type History, type Policy, RULE_NAMES } from '../../src/core/decide.ts';
import { type Outcome, outcome, signalNumber } from '../../src/core/outcome.ts';
import { DEFAULT_RETRY, type RetryPolicy, retryDelayMs } from '../../src/core/retry-policy.ts';

type Told = number | 'lost' | 'never started' | 'stopped' | 'cancel' | 'timeout' | 'oom' | 'SEGV';

function outcomeOf(told: Told): Outcome {
  if (typeof told === 'number') return outcome({ exitCode: told });
  switch (told) {
    case 'lost':
    case 'never started':
      return outcome({ lost: true });
    case 'stopped':
      return outcome({ stopped: true, signal: 'SIGTERM' });
    case 'cancel':
      return outcome({ canceled: true, signal: 'SIGTERM' });
    case 'timeout':
      return outcome({ timedOut: true, exitCode: 0 });
    case 'oom':
      return outcome({ oom: true, oomEvidence: 'sampler', signal: 'SIGKILL' });
    case 'SEGV':
      return outcome({ signal: 'SIGSEGV' });
  }
}

interface Course {
  /** Waits before the executions, in ms: the first is always 0. */
  waits: number[];
  end: string;
  rule: string;
  reason: string;
  failures: number;
  preemptions: number;
}

/** Plays outcomes through `decide` as the engine would, each execution taking a second. */
function play(told: Told[], retry: Partial<RetryPolicy>, deadlineMs: number | null = null): Course {
  const policy: Policy = { retry: { ...DEFAULT_RETRY, ...retry }, deadlineMs };
  const history: History = { failures: 0, preemptions: 0, lossesInRow: 0, firstStartedAt: null };
  const waits: number[] = [];
  let readyAt = 0;
  let lastEnd = 0;
  for (const [index, each] of told.entries()) {
    waits.push(readyAt - lastEnd);
    const startedAt = each === 'never started' ? null : readyAt;
    const ended: Ended = {
      outcome: outcomeOf(each),
      attemptId: index + 1,
      startedAt,
      finishedAt: readyAt + 1000,
      seed: index,
    };
    const decision = decide(ended, policy, history);
    history.firstStartedAt ??= startedAt;
    lastEnd = ended.finishedAt;
    const lost = decision.cause === 'lost' && startedAt !== null;
    history.preemptions += lost ? 1 : 0;
    history.lossesInRow = lost ? history.lossesInRow + 1 : 0;
    const { verdict } = decision;
    if (decision.cause !== 'lost' && (verdict.kind === 'retry' || verdict.kind === 'fail'))
      history.failures += 1;
    if (verdict.kind === 'retry' || verdict.kind === 'requeue') {
      readyAt = verdict.notBefore ?? ended.finishedAt;
      continue;
    }
    const end =
      verdict.kind === 'fail' ? verdict.status : verdict.kind === 'cancel' ? 'canceled' : 'completed';
    return {
      waits,
      end,
      rule: decision.rule,
      reason: decision.reason,
      failures: history.failures,
      preemptions: history.preemptions,
    };
  }
  return {
    waits,
    end: 'ready',
    rule: '',
    reason: '',
    failures: history.failures,
    preemptions: history.preemptions,
  };
}

describe('the worked cases', () => {
  test.each<[string, Told[], Partial<RetryPolicy>, Partial<Course>]>([
    ['R1 no policy: one run', [1], {}, { waits: [0], end: 'failed', rule: 'otherwise' }],
    [
      'R2 waits of 1 s and 2 s',
      [1, 1, 0],
      { max_retries_failure: 3 },
      { waits: [0, 1000, 2000], end: 'completed' },
    ],
    [
      'R3 the filter does not match',
      [1],
      { max_retries_failure: 3, retry_on_exit_codes: [75] },
      { waits: [0], end: 'failed', rule: 'otherwise' },
    ],
    [
      'R4 deny wins over allow',
      [5],
      { max_retries_failure: 3, retry_on_exit_codes: [5], no_retry_on_exit_codes: [5] },
      { waits: [0], end: 'failed', rule: 'retry', reason: 'code 5 is in no_retry_on_exit_codes' },
    ],
    [
      'R5 losses are not failures',
      ['lost', 1, 'lost', 0],
      { max_retries_failure: 1 },
      { waits: [0, 0, 1000, 0], end: 'completed', failures: 1, preemptions: 2 },
    ],
    [
      'R6 the preemption budget ends',
      ['lost', 'lost'],
      { max_retries_preemption: 1 },
      { waits: [0, 0], end: 'failed', rule: 'lost' },
    ],
    [
      'R7 canceled is never retried',
      ['cancel'],
      { max_retries_failure: 5 },
      { end: 'canceled', rule: 'canceled' },
    ],
    ['R9 an exhausted budget fails', [1, 1], { max_retries_failure: 1 }, { end: 'failed', rule: 'retry' }],
    [
      'R10 never started is free',
      ['never started', 0],
      { max_retries_preemption: 0 },
      { waits: [0, 0], end: 'completed', preemptions: 0 },
    ],
    [
      'R11 stopped is free',
      ['stopped', 'stopped', 0],
      { max_retries_preemption: 0 },
      { end: 'completed', failures: 0, preemptions: 0 },
    ],
    ['a timeout ends as terminated, even with exit 0', ['timeout'], {}, { end: 'terminated' }],
    [
      'a timeout is retried as code 152',
      ['timeout', 0],
      { max_retries_failure: 1, retry_on_exit_codes: [152] },
      { end: 'completed' },
    ],
    [
      'oom has code 137',
      ['oom', 0],
      { max_retries_failure: 1, retry_on_exit_codes: [137] },
      { end: 'completed' },
    ],
    [
      'a signal is 128 + its number',
      ['SEGV', 0],
      { max_retries_failure: 1, retry_on_exit_codes: [139] },
      { end: 'completed' },
    ],
    ['a signal without a retry ends as terminated', ['SEGV'], {}, { end: 'terminated' }],
    [
      'after three losses in a row it backs off',
      ['lost', 'lost', 'lost', 'lost', 0],
      {},
      { waits: [0, 0, 0, 1000, 2000], end: 'completed', preemptions: 4 },
    ],
    [
      'the wait is capped',
      [1, 1, 1, 1, 0],
      { max_retries_failure: 9, initial_retry_delay_ms: 10_000, max_retry_delay_ms: 25_000 },
      { waits: [0, 10_000, 20_000, 25_000, 25_000] },
    ],
  ])('%s', (_, told, retry, expected) => {
    expect(play(told, retry)).toMatchObject(expected);
  });

  test('R8 a retry that would start after the deadline is not made', () => {
    const late = play([1], { max_retries_failure: 5, initial_retry_delay_ms: 9_500 }, 10_000);
    expect(late).toMatchObject({ waits: [0], end: 'failed', rule: 'retry' });
    expect(late.reason).toMatch(/^deadline:/);
    expect(play([1, 0], { max_retries_failure: 5, initial_retry_delay_ms: 9_000 }, 10_000).end).toBe(
      'completed',
    );
  });

  test('R6 names worker_lost', () => {
    expect(play(['lost'], { max_retries_preemption: 0 }).reason).toMatch(/^worker_lost/);
  });
});

describe('decide', () => {
  const anyOutcome = fc
    .record({
      exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
      signal: fc.option(fc.constantFrom('SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGUSR1')),
      timedOut: fc.boolean(),
      oom: fc.boolean(),
      lost: fc.boolean(),
      stopped: fc.boolean(),
      canceled: fc.boolean(),
      missingOutputs: fc.array(fc.string(), { maxLength: 2 }),
      spawnError: fc.option(fc.string()),
    })
    .map((facts) => outcome(facts));
  const codes = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 4 });
  const anyPolicy: fc.Arbitrary<Policy> = fc.record({
    retry: fc.record({
      max_retries_failure: fc.nat(5),
      max_retries_preemption: fc.nat(5),
      initial_retry_delay_ms: fc.nat(10_000),
      max_retry_delay_ms: fc.nat(100_000),
      backoff_multiplier: fc.double({ min: 1, max: 1000, noNaN: true }),
      retry_on_exit_codes: codes,
      no_retry_on_exit_codes: codes,
      jitter: fc.constantFrom('none' as const, 'full' as const, 'equal' as const),
      jitter_seed: fc.nat(),
    }),
    deadlineMs: fc.option(fc.nat(100_000)),
  });
  const anyHistory: fc.Arbitrary<History> = fc.record({
    failures: fc.nat(8),
    preemptions: fc.nat(8),
    lossesInRow: fc.nat(8),
    firstStartedAt: fc.option(fc.nat(10_000)),
  });
  const anyEnded: fc.Arbitrary<Ended> = fc.record({
    outcome: anyOutcome,
    attemptId: fc.integer({ min: 1, max: 20 }),
    startedAt: fc.option(fc.integer({ min: 10_000, max: 20_000 })),
    finishedAt: fc.integer({ min: 20_000, max: 30_000 }),
    seed: fc.nat(),
  });

  test('is total and deterministic, keeps to its budgets and never retries what was canceled', () => {
    fc.assert(
      fc.property(anyEnded, anyPolicy, anyHistory, (ended, policy, history) => {
        const decision = decide(ended, policy, history);
        expect(decide(ended, policy, history)).toEqual(decision);
        const { verdict } = decision;
        if (decision.cause === 'canceled') expect(verdict.kind).toBe('cancel');
        if (verdict.kind === 'complete') expect(decision.cause).toBeNull();
        if (verdict.kind === 'retry') {
          expect(history.failures).toBeLessThan(policy.retry.max_retries_failure);
          expect(verdict.notBefore).toBeGreaterThanOrEqual(ended.finishedAt);
          expect(verdict.notBefore - ended.finishedAt).toBeLessThanOrEqual(policy.retry.max_retry_delay_ms);
          expect(policy.retry.no_retry_on_exit_codes).not.toContain(decision.matchCode);
        }
        if (verdict.kind === 'requeue' && decision.cause === 'lost' && ended.startedAt !== null) {
          expect(history.preemptions).toBeLessThan(policy.retry.max_retries_preemption);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('walks the rules in order and ends with the one that decided', () => {
    fc.assert(
      fc.property(anyEnded, anyPolicy, anyHistory, (ended, policy, history) => {
        const { walk, rule } = decide(ended, policy, history);
        expect(walk.map((step) => step.rule)).toEqual(RULE_NAMES.slice(0, walk.length));
        expect(walk.map((step) => step.applies)).toEqual(walk.map((_, index) => index === walk.length - 1));
        expect(walk.at(-1)!.rule).toBe(rule);
      }),
    );
  });

  test('jitter depends on the attempt and its seed only, and stays within its bounds', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 20 }), (jitter_seed, seed, retry) => {
        const plain = retryDelayMs({ ...DEFAULT_RETRY, jitter_seed }, retry, seed);
        const full = retryDelayMs({ ...DEFAULT_RETRY, jitter_seed, jitter: 'full' }, retry, seed);
        const equal = retryDelayMs({ ...DEFAULT_RETRY, jitter_seed, jitter: 'equal' }, retry, seed);
        expect(full).toBeGreaterThanOrEqual(0);
        expect(full).toBeLessThanOrEqual(plain);
        expect(equal).toBeGreaterThanOrEqual(plain / 2 - 1);
        expect(equal).toBeLessThanOrEqual(plain);
      }),
    );
  });

  test('knows the numbers of signals', () => {
    expect(['SIGHUP', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGXFSZ'].map(signalNumber)).toEqual([
      1, 9, 11, 15, 25,
    ]);
  });
});
