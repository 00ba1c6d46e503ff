import fc from 'fast-check';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_POST_CODES, type PostResult } from '../../src/core/job/post-result.ts';
import type { Ended, History, Policy } from '../../src/core/policy/decision.ts';
import { DEFAULT_RULE, type FailureRule } from '../../src/core/policy/failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../src/core/policy/retry-policy.ts';
import type { DynamicRoutes, RoutePolicy } from '../../src/core/policy/take-route.ts';

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
    postCodes: DEFAULT_POST_CODES,
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
  recoveryTimeoutMs: fc.integer({ min: 1, max: 1000 }),
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
      run_js: javascript,
      goto: target,
      goto_js: javascript,
      reattempt: fc.record({
        max: fc.nat(3),
        mode: fc.constantFrom('fixed' as const, 'exponential' as const),
        delay_ms: fc.nat(5000),
      }),
    }),
    { freq: 9 },
  ),
  onSuccess: fc.option(fc.record({ run, run_js: javascript, goto: target, goto_js: javascript })),
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
  postCodes: fc.constantFrom(DEFAULT_POST_CODES, { permanent_code: 1, abort_code: 42 }),
});

const anyOutcome = fc
  .record({
    exit_code: fc.option(code),
    signal: fc.option(fc.constantFrom('SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGUSR1')),
    timed_out: fc.boolean(),
    oom: fc.boolean(),
    lost: fc.boolean(),
    stopped: fc.boolean(),
    canceled: fc.boolean(),
    missing_outputs: fc.array(fc.string(), { maxLength: 2 }),
    spawn_error: fc.option(fc.string()),
  })
  // Most attempts end in one way only.
  .chain((all) =>
    fc.constantFrom(
      outcome({ exit_code: all.exit_code ?? 1 }),
      outcome({ exit_code: 1 }),
      outcome({ signal: all.signal ?? 'SIGSEGV' }),
      outcome({ timed_out: true, exit_code: all.exit_code }),
      outcome({ oom: true, signal: 'SIGKILL' }),
      outcome({ spawn_error: 'no' }),
      outcome({ exit_code: 0, missing_outputs: ['x'] }),
      outcome({ lost: true }),
      outcome(all),
    ),
  );

const anyPost: fc.Arbitrary<PostResult> = fc.record({
  exit_code: fc.option(fc.constantFrom(0, 1, 42, 43)),
  category: fc.option(category),
  bad_inputs: fc.constant([]),
  memory_bytes: fc.option(fc.nat(10_000)),
  runtime_ms: fc.option(fc.nat(10_000)),
  delay_ms: fc.option(fc.nat(10_000)),
  reason: fc.option(fc.constant('rule 1')),
  report_code: fc.option(fc.nat(10_000)),
  message: fc.constant(null),
  problem: fc.constant(null),
  log_tail: fc.constant(null),
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
  retried: fc.option(fc.constant('retried by ann'), { freq: 1 }),
  failIf: fc.option(fc.constant('its fail_if is true'), { freq: 1 }),
  dynamic: fc.record(
    { run: fc.subarray(['fix', 'more']), goto: fc.constantFrom('b', false, null) },
    { requiredKeys: [] },
  ) as fc.Arbitrary<DynamicRoutes>,
});
