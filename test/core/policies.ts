import fc from 'fast-check';
import type { Ended, History, Policy } from '../../src/core/decision.ts';
import { DEFAULT_RULE, type FailureRule } from '../../src/core/failure-rule.ts';
import { outcome } from '../../src/core/outcome.ts';
import type { PostResult } from '../../src/core/post-result.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../src/core/retry-policy.ts';
import type { DynamicRoutes, RoutePolicy } from '../../src/core/take-route.ts';

/** What a job says, in short: rules and retry are filled in with their defaults. */
export interface Said extends Partial<Omit<Policy, 'handler' | 'retry'>> {
  rules?: Partial<FailureRule>[] | 'unreadable';
  retry?: Partial<RetryPolicy>;
}

export function policyOf({ rules, retry, ...rest }: Said): Policy {
  return {
    handler:
      rules === undefined
        ? null
        : rules === 'unreadable'
          ? rules
          : { name: 'h', rules: rules.map((rule) => ({ ...DEFAULT_RULE, ...rule })) },
    retry: { ...DEFAULT_RETRY, ...retry },
    deadlineMs: null,
    usePendingFailed: false,
    memoryBytes: null,
    runtimeMs: null,
    routes: null,
    ...rest,
  };
}

const PATTERNS = ['busy', 'disk'];
const code = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(42, 137, 139, 152));
const codes = fc.array(code, { maxLength: 3 });
const category = fc.constantFrom(
  'transient' as const,
  'permanent' as const,
  'data' as const,
  'infrastructure' as const,
);
const change = fc.record({
  factor: fc.constantFrom(1.5, 2),
  value: fc.option(fc.nat(10_000)),
  maximum: fc.option(fc.nat(10_000)),
});

const anyRule: fc.Arbitrary<FailureRule> = fc.record({
  exitCodes: fc.array(
    fc.tuple(code, fc.nat(3)).map(([low, more]): [number, number] => [low, low + more]),
    { maxLength: 2 },
  ),
  matchAllExitCodes: fc.boolean(),
  signals: fc.subarray(['SIGSEGV', 'SIGKILL'], { maxLength: 1 }),
  stderr: fc.option(fc.constantFrom(...PATTERNS), { freq: 2 }),
  causes: fc.subarray(['exit', 'signal', 'timeout', 'oom', 'missing_output', 'spawn'], { maxLength: 1 }),
  categories: fc.subarray(['transient', 'infrastructure'], { maxLength: 1 }),
  recoveryScript: fc.option(fc.constant('fix')),
  maxRetries: fc.nat(4),
  category: fc.option(category, { freq: 2 }),
  delayMs: fc.option(fc.nat(5000)),
  memory: fc.option(change),
  runtime: fc.option(change),
  verdict: fc.constantFrom('retry', 'retry', 'retry', 'fail', 'ask', 'abort', 'accept'),
  mode: fc.constantFrom('act', 'act', 'observe'),
});

const run = fc.subarray(['fix', 'clean'], { maxLength: 2 });
const javascript = fc.option(fc.constant('null'), { freq: 2 });
const target = fc.option(fc.constant('a'));
const anyRoutes: fc.Arbitrary<RoutePolicy> = fc.record({
  onFail: fc.option(
    fc.record({
      run,
      runJs: javascript,
      goto: target,
      gotoJs: javascript,
      reattempt: fc.record({
        max: fc.nat(3),
        mode: fc.constantFrom('fixed' as const, 'exponential' as const),
        delayMs: fc.nat(5000),
      }),
    }),
    { freq: 9 },
  ),
  onSuccess: fc.option(fc.record({ run, runJs: javascript, goto: target, gotoJs: javascript })),
  maxLoops: fc.nat(5),
  called: fc.boolean(),
});

export const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  handler: fc.oneof(
    { arbitrary: fc.constantFrom(null, 'unreadable' as const), weight: 1 },
    {
      arbitrary: fc.record({ name: fc.constant('h'), rules: fc.array(anyRule, { maxLength: 4 }) }),
      weight: 4,
    },
  ),
  retry: fc.record({
    max_retries_failure: fc.nat(5),
    max_retries_preemption: fc.nat(5),
    initial_retry_delay_ms: fc.nat(10_000),
    max_retry_delay_ms: fc.nat(100_000),
    backoff_multiplier: fc.double({ min: 1, max: 1000, noNaN: true }),
    retry_on_exit_codes: codes,
    no_retry_on_exit_codes: codes,
    retry_on_timeout: fc.boolean(),
    jitter: fc.constantFrom('none' as const, 'full' as const, 'equal' as const),
    jitter_seed: fc.nat(),
  }),
  deadlineMs: fc.option(fc.nat(100_000)),
  usePendingFailed: fc.boolean(),
  memoryBytes: fc.option(fc.nat(10_000)),
  runtimeMs: fc.option(fc.nat(10_000)),
  routes: fc.option(anyRoutes),
});

const anyOutcome = fc
  .record({
    exitCode: fc.option(code),
    signal: fc.option(fc.constantFrom('SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGUSR1')),
    timedOut: fc.boolean(),
    oom: fc.boolean(),
    lost: fc.boolean(),
    stopped: fc.boolean(),
    canceled: fc.boolean(),
    missingOutputs: fc.array(fc.string(), { maxLength: 2 }),
    spawnError: fc.option(fc.string()),
  })
  // Most attempts end in one way only.
  .chain((all) =>
    fc.constantFrom(
      outcome({ exitCode: all.exitCode ?? 1 }),
      outcome({ exitCode: 1 }),
      outcome({ signal: all.signal ?? 'SIGSEGV' }),
      outcome({ timedOut: true, exitCode: all.exitCode }),
      outcome({ oom: true, signal: 'SIGKILL' }),
      outcome({ spawnError: 'no' }),
      outcome({ exitCode: 0, missingOutputs: ['x'] }),
      outcome({ lost: true }),
      outcome(all),
    ),
  );

const anyPost: fc.Arbitrary<PostResult> = fc.record({
  exitCode: fc.option(fc.constantFrom(0, 1, 42, 43)),
  category: fc.option(category),
  badInputs: fc.constant([]),
  memoryBytes: fc.option(fc.nat(10_000)),
  runtimeMs: fc.option(fc.nat(10_000)),
  delayMs: fc.option(fc.nat(10_000)),
  problem: fc.constant(null),
});

export const anyHistory: fc.Arbitrary<History> = fc.record({
  failures: fc.nat(6),
  preemptions: fc.nat(6),
  lossesInRow: fc.nat(6),
  firstStartedAt: fc.option(fc.nat(10_000)),
  reattempts: fc.nat(3),
  loops: fc.nat(6),
});

export const anyEnded: fc.Arbitrary<Ended> = fc.record({
  outcome: anyOutcome,
  attemptId: fc.integer({ min: 1, max: 20 }),
  startedAt: fc.option(fc.integer({ min: 10_000, max: 20_000 }), { freq: 9 }),
  finishedAt: fc.integer({ min: 20_000, max: 30_000 }),
  seed: fc.nat(),
  post: fc.option(anyPost, { freq: 2 }),
  stderrMatches: fc.subarray(PATTERNS),
  superseded: fc.constantFrom(false, false, false, true),
  disabled: fc.constantFrom(false, false, false, true),
  failIf: fc.option(fc.constant('its fail_if is true'), { freq: 1 }),
  dynamic: fc.record(
    { run: fc.subarray(['fix', 'more']), goto: fc.constantFrom('b', false, null) },
    { requiredKeys: [] },
  ) as fc.Arbitrary<DynamicRoutes>,
});
