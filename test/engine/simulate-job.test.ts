import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SimulatedStep } from '../../src/contract/records/overview.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { jobPolicy } from '../../src/core/policy/job-policy.ts';
import { outcomeReader } from '../../src/simulate/outcome-reader.ts';
import { simulateJob } from '../../src/simulate/simulate-job.ts';
import { parseOutcomes } from '../../src/simulate/simulated-outcome.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { simulate } from '../core/play-policy.ts';
import { courses } from '../property-runs.ts';

const DURATION_MS = 700;

function modelOf(spec: unknown): WorkflowModel {
  const loaded = loadSpec(JSON.stringify(spec), 'spec.json');
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.model;
}

/** The same course by the pure rules alone. */
function pureSteps(model: WorkflowModel, name: string, outcomes: string): SimulatedStep[] {
  const job = model.jobs.find((each) => each.name === name)!;
  return simulate(jobPolicy(model, job), parseOutcomes(outcomes, outcomeReader(model, job)), {
    durationMs: DURATION_MS,
    timeoutTakesRuntime: true,
  });
}

async function played(model: WorkflowModel, job: string, outcomes: string) {
  return simulateJob(model, { job, outcomes }, DURATION_MS);
}

const matchers = { exit_codes: fc.subarray([1, 7, 10], { minLength: 1 }) };

const rule = fc.oneof(
  { weight: 1, arbitrary: fc.record({ ...matchers, verdict: fc.constantFrom('fail', 'accept') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...matchers,
      recovery_script: fc.constantFrom('fix.sh', undefined),
      max_retries: fc.integer({ min: 1, max: 4 }),
      delay: fc.constantFrom(undefined, '5s'),
      memory: fc.constantFrom(undefined, 'x1.5'),
      runtime: fc.constantFrom(undefined, 'x2'),
      verdict: fc.constantFrom('retry', undefined),
    }),
  },
);

const anySpec = fc
  .record({
    rules: fc.option(fc.array(rule, { minLength: 1, maxLength: 3 })),
    retry: fc.record({
      max_retries_failure: fc.nat(3),
      max_retries_preemption: fc.nat(3),
      initial_retry_delay_ms: fc.constantFrom(0, 2000),
      jitter: fc.constantFrom('none', 'full', 'equal'),
    }),
    timeout: fc.constantFrom(undefined, '90s'),
    deadline: fc.constantFrom(undefined, '10s', '5m'),
    memory: fc.constantFrom(undefined, '2g'),
    post: fc.constantFrom(undefined, './check.sh'),
    asks: fc.boolean(),
  })
  .map(({ rules, retry, timeout, deadline, memory, post, asks }) => ({
    name: 'one',
    use_pending_failed: asks,
    ...(rules && { failure_handlers: [{ name: 'redo', rules }] }),
    jobs: [
      { name: 'before', command: 'x' },
      {
        name: 'job',
        command: 'x',
        depends_on: ['before'],
        retry,
        ...(rules && { failure_handler: 'redo' }),
        ...(timeout && { timeout }),
        ...(deadline && { deadline }),
        ...(memory && { resource_requirements: { memory } }),
        ...(post && { post }),
      },
      { name: 'after', command: 'x', depends_on: ['job'] },
    ],
  }));

const anyOutcomes = fc.array(
  fc.constantFrom('0', '1', '7', '10', 'oom', 'lost', 'unstarted', 'SEGV', 'timeout', 'stop', 'cancel'),
  { minLength: 1, maxLength: 7 },
);

test('a simulated job takes the course that the pure rules give, for any policy and outcomes', async () => {
  await fc.assert(
    fc.asyncProperty(anySpec, anyOutcomes, async (spec, outcomes) => {
      const model = modelOf(spec);
      const { steps, unused } = await played(model, 'job', outcomes.join(','));
      expect(steps).toEqual(pureSteps(model, 'job', outcomes.join(',')));
      expect(unused).toEqual(outcomes.slice(steps.length));
    }),
    { numRuns: courses(100) },
  );
});

describe('the routes of a simulated job', () => {
  const model = modelOf({
    name: 'routed',
    steps: {
      setup: { exec: 'x' },
      build: {
        exec: 'x',
        depends_on: ['setup'],
        on_fail: {
          run: ['fix'],
          retry: { max: 2, backoff: { mode: 'fixed', delay_ms: 3000 } },
          goto: 'setup',
        },
      },
      publish: { exec: 'x', depends_on: ['build'], on_success: { run: ['note'] } },
      fix: { exec: 'x', on_fail: { retry: { max: 1 } } },
      note: { exec: 'x' },
    },
  });

  test('are re-attempts after a remediation that takes no time, then a goto, which ends it', async () => {
    const { steps, status } = await played(model, 'build', '1,1,1,0');
    expect(steps).toEqual(pureSteps(model, 'build', '1,1,1,0'));
    expect(steps.map(({ verdict, next }) => [verdict, next?.wait_ms])).toEqual([
      ['retry', 3000],
      ['retry', 3000],
      ['goto', undefined],
    ]);
    expect({ status, failures: steps.at(-1)!.failure_count }).toEqual({ status: 'blocked', failures: 3 });
  });

  test('of a success lead to other steps, and charge nothing', async () => {
    const { steps, status } = await played(model, 'publish', '0');
    expect(steps).toMatchObject([{ verdict: 'call', status: 'blocked', failure_count: 0, next: null }]);
    expect(status).toBe('blocked');
  });

  test('are those of a called step, which is played without its callers', async () => {
    const { steps } = await played(model, 'fix', '1,0');
    expect(steps).toEqual(pureSteps(model, 'fix', '1,0'));
    expect(steps.map(({ verdict }) => verdict)).toEqual(['retry', 'complete']);
  });

  test('are played without code, and without the items of a forEach', async () => {
    const coded = modelOf({
      name: 'coded',
      steps: {
        list: { exec: 'x', forEach: true },
        item: {
          exec: 'x',
          depends_on: ['list'],
          if: 'false',
          fail_if: 'true',
          on_fail: { retry: { max: 1 }, goto_js: 'nowhere()' },
        },
      },
    });
    const { steps, status } = await played(coded, 'item', '1,0');
    expect(steps).toEqual(pureSteps(coded, 'item', '1,0'));
    expect(status).toBe('completed');
    expect((await played(coded, 'list', '0')).status).toBe('completed');
  });
});
