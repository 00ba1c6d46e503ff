import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SimulatedStep } from '../../src/contract/records/overview.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_POST_CODES } from '../../src/core/job/post-result.ts';
import type { Policy } from '../../src/core/policy/decision.ts';
import type { FailureRule } from '../../src/core/policy/failure-rule.ts';
import { DEFAULT_RETRY } from '../../src/core/policy/retry-policy.ts';
import { simulate } from '../core/play-policy.ts';
import { courses } from '../property-runs.ts';
import { EngineWorld, ordersOf, PLENTY } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const DURATION_MS = 700;
const CODES = [0, 1, 7, 10, 42];

const anyRule: fc.Arbitrary<FailureRule> = fc.record({
  exitCodes: fc.array(
    fc.constantFrom(...CODES.slice(1)).map((code): [number, number] => [code, code]),
    { maxLength: 2 },
  ),
  matchAllExitCodes: fc.boolean(),
  signals: fc.constant([]),
  stderr: fc.constant(null),
  causes: fc.subarray(['exit', 'timeout', 'oom'] as const, { maxLength: 2 }).map((causes) => [...causes]),
  categories: fc.constant([]),
  recoveryScript: fc.constantFrom(null, 'fix.sh'),
  recoveryTimeoutMs: fc.constant(60_000),
  maxRetries: fc.nat(4),
  category: fc.constantFrom(null, null, 'permanent' as const, 'infrastructure' as const),
  delayMs: fc.option(fc.nat(5000)),
  memory: fc.constantFrom(null, { factor: 1.5, value: null, maximum: 4000 }),
  runtime: fc.constantFrom(null, { factor: 2, value: null, maximum: null }),
  verdict: fc.constantFrom('retry' as const, 'retry' as const, 'fail' as const, 'accept' as const),
  mode: fc.constantFrom('act' as const, 'act' as const, 'observe' as const),
});

const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  handler: fc.option(
    fc.record({ name: fc.constant('fix'), rules: fc.array(anyRule, { minLength: 1, maxLength: 3 }) }),
  ),
  retry: fc
    .record({
      max_retries_failure: fc.nat(3),
      max_retries_preemption: fc.nat(4),
      initial_retry_delay_ms: fc.nat(2000),
      no_retry_on_exit_codes: fc.subarray([7, 42], { maxLength: 1 }),
      jitter: fc.constantFrom('none' as const, 'full' as const, 'equal' as const),
      jitter_seed: fc.nat(),
    })
    .map((part) => ({ ...DEFAULT_RETRY, ...part })),
  deadlineMs: fc.option(fc.integer({ min: 1000, max: 20_000 })),
  usePendingFailed: fc.boolean(),
  memoryBytes: fc.option(fc.constant(2000)),
  runtimeMs: fc.constant(null),
  routes: fc.constant(null),
  postCodes: fc.constant(DEFAULT_POST_CODES),
});

const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom(...CODES).map((exitCode) => outcome({ exit_code: exitCode })),
  fc.constantFrom(
    outcome({ lost: true }),
    outcome({ stopped: true, signal: 'SIGTERM' }),
    outcome({ timed_out: true, exit_code: 0 }),
    outcome({ oom: true, signal: 'SIGKILL' }),
    outcome({ signal: 'SIGSEGV' }),
  ),
);

/** Plays the same outcomes through the engine, each attempt starting as soon as the engine lets it. */
async function realCourse(policy: Policy, outcomes: Outcome[]): Promise<Partial<SimulatedStep>[]> {
  const world = await EngineWorld.create(
    simpleModel(
      [
        {
          name: 'job',
          retry: policy.retry,
          ...(policy.deadlineMs === null ? {} : { deadlineMs: policy.deadlineMs }),
          ...(policy.memoryBytes === null ? {} : { memoryBytes: policy.memoryBytes }),
          ...(policy.handler === null ? {} : { handler: 'fix' }),
        },
      ],
      {
        usePendingFailed: policy.usePendingFailed,
        handlers: policy.handler === null || policy.handler === 'unreadable' ? [] : [policy.handler],
      },
    ),
  );
  try {
    const start = world.clock.now;
    const worker = await world.remoteWorker();
    const course: Partial<SimulatedStep>[] = [];
    for (const facts of outcomes) {
      let { claims, next_due_at_ms } = await worker.exchange({ capacity: PLENTY });
      if (claims.length === 0) {
        world.clock.now = next_due_at_ms!;
        claims = (await worker.exchange({ capacity: PLENTY })).claims;
      }
      const [claim] = claims;
      const startsAt = world.clock.now - start;
      await worker.exchange({ started: [claim!] });
      world.clock.now += DURATION_MS;
      const ended = await worker.exchange({ finished: [{ claim: claim!, outcome: facts }] });
      const done = outcome({ exit_code: 0 });
      await worker.exchange({
        errands: ordersOf(ended, 'recovery').map(({ kind, id }) => ({ kind, id, outcome: done })),
      });
      const attempt = (await world.attempts()).at(-1)!;
      const job = await world.job('job');
      course.push({
        attempt_id: attempt.attempt_id,
        starts_at_ms: startsAt,
        memory_bytes: claim!.requirement.memory_bytes,
        verdict: attempt.verdict as SimulatedStep['verdict'],
        rule: attempt.rule as SimulatedStep['rule'],
        reason: attempt.reason!,
        handler_outcome: attempt.handler_outcome,
        status: job.status,
        failure_count: job.failure_count,
        preemption_count: job.preemption_count,
      });
      if (job.status !== 'ready') break;
    }
    return course;
  } finally {
    await world.close();
  }
}

test('simulate shows the course that the engine takes, for any policy and outcomes', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPolicy,
      fc.array(anyOutcome, { minLength: 1, maxLength: 7 }),
      async (policy, outcomes) => {
        const simulated = simulate(
          policy,
          outcomes.map((facts) => ({
            given: '',
            outcome: facts,
            started: true,
            post: null,
            stderrMatches: [],
          })),
          { durationMs: DURATION_MS },
        );
        const real = await realCourse(policy, outcomes);
        expect(real).toHaveLength(simulated.length);
        for (const [index, step] of real.entries()) expect(simulated[index]).toMatchObject(step);
      },
    ),
    { numRuns: courses(80) },
  );
});
