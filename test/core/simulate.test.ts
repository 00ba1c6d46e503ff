import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { parseOutcomes } from '../../src/simulate/simulated-outcome.ts';
import { courses } from '../property-runs.ts';
import { simulate } from './play-policy.ts';
import { anyPolicy, policyOf } from './policies.ts';

const MINUTE = 60_000;

describe('a simulated course', () => {
  test('has the times, verdicts and reasons of each execution, and what the next one may use', () => {
    const policy = policyOf({
      rules: [
        { exitCodes: [[10, 10]], recoveryScript: 'fix.sh', delayMs: 5000 },
        { causes: ['oom'], memory: { factor: 1.5, value: null, maximum: null } },
      ],
      memoryBytes: 1000,
      runtimeMs: 3_600_000,
    });
    const steps = simulate(policy, parseOutcomes('10,oom,lost,0,0'), { durationMs: MINUTE });
    expect(steps).toMatchObject([
      {
        attempt_id: 1,
        starts_at_ms: 0,
        ends_at_ms: MINUTE,
        outcome: 'exit 10',
        match_code: 10,
        verdict: 'retry',
        rule: 'handler',
        reason: 'rule 1 of h: execution 2 of 3 after 5s',
        handler_outcome: 'Retried',
        status: 'ready',
        memory_bytes: 1000,
        next: { starts_at_ms: 65_000, wait_ms: 5000, recovery_script: 'fix.sh', memory_bytes: 1000 },
      },
      {
        attempt_id: 2,
        starts_at_ms: 65_000,
        outcome: 'out of memory',
        memory_bytes: 1000,
        next: { starts_at_ms: 125_000, wait_ms: 0, recovery_script: null, memory_bytes: 1500 },
      },
      {
        attempt_id: 3,
        verdict: 'requeue',
        memory_bytes: 1500,
        next: { memory_bytes: 1500, runtime_ms: 3_600_000 },
      },
      {
        attempt_id: 4,
        memory_bytes: 1500,
        status: 'completed',
        failure_count: 2,
        preemption_count: 1,
        next: null,
      },
    ]);
  });

  test('charges nothing for a failure that the post script accepts and that then calls steps', () => {
    const onSuccess = { run: ['note'], run_js: null, goto: null, goto_js: null };
    const policy = policyOf({ routes: { onFail: null, onSuccess, maxLoops: 10, called: false } });
    const reported = parseOutcomes('1/0', { hasPost: true, findPatterns: () => [] });
    expect(simulate(policy, reported, { durationMs: MINUTE })).toMatchObject([
      { outcome: 'exit 1', verdict: 'call', status: 'blocked', failure_count: 0 },
    ]);
  });

  test('gives a timeout the runtime then in force where that is wanted', () => {
    const policy = policyOf({
      rules: [{ causes: ['timeout'], runtime: { factor: 2, value: null, maximum: null } }],
      runtimeMs: 1000,
    });
    const ends = (timeoutTakesRuntime: boolean) =>
      simulate(policy, parseOutcomes('timeout,timeout'), { durationMs: 10, timeoutTakesRuntime }).map(
        (step) => step.ends_at_ms,
      );
    expect(ends(true)).toEqual([1000, 3000]);
    expect(ends(false)).toEqual([10, 20]);
  });

  test('counts the deadline from the first start', () => {
    const policy = policyOf({ retry: { max_retries_failure: 9 }, deadlineMs: 10_000 });
    const steps = simulate(policy, parseOutcomes('unstarted,1,1,1,1'), { durationMs: 3000 });
    expect(steps.map((step) => step.starts_at_ms)).toEqual([0, 0, 4000, 9000]);
    expect(steps.at(-1)).toMatchObject({ status: 'failed', preemption_count: 0 });
  });

  test('draws jitter from the seed of each attempt', () => {
    const policy = policyOf({ retry: { max_retries_failure: 3, jitter: 'full' } });
    const waits = (seed?: (attemptId: number) => number) =>
      simulate(policy, parseOutcomes('1,1,1'), { durationMs: 0, ...(seed && { seed }) }).map(
        ({ next }) => next!.wait_ms,
      );
    expect(waits()).toEqual(waits((attemptId) => attemptId));
    expect(waits()).not.toEqual(waits((attemptId) => attemptId + 100));
  });

  test('ends, never goes back in time and never exceeds what the policy allows', () => {
    const tokens = fc.constantFrom(
      '0',
      '1',
      '2',
      '42',
      'oom',
      'lost',
      'unstarted',
      'SEGV',
      'timeout',
      'stop',
    );
    fc.assert(
      fc.property(anyPolicy, fc.array(tokens, { minLength: 1, maxLength: 15 }), (policy, reported) => {
        const outcomes = parseOutcomes(reported.join(','));
        const steps = simulate(policy, outcomes, { durationMs: 1000 });
        const rules = policy.handler === null || policy.handler === 'unreadable' ? [] : policy.handler.rules;
        const executions = Math.max(
          policy.retry.max_retries_failure + 1,
          ...rules.map(({ maxRetries }) => maxRetries),
        );
        const reattempts = policy.routes?.onFail ? Math.max(1, policy.routes.onFail.reattempt.max) : 0;
        const last = steps.at(-1)!;
        expect(last.failure_count).toBeLessThanOrEqual(executions + reattempts);
        expect(last.preemption_count).toBeLessThanOrEqual(policy.retry.max_retries_preemption + 1);
        expect(steps.slice(0, -1).every(({ next }) => next !== null)).toBe(true);
        expect(steps.length === outcomes.length || last.next === null).toBe(true);
        for (const [index, step] of steps.slice(1).entries()) {
          expect(step.starts_at_ms).toBeGreaterThanOrEqual(steps[index]!.ends_at_ms);
        }
      }),
      { numRuns: courses(1000) },
    );
  });
});

describe('outcomes in words', () => {
  test('are exit codes, signals and causes', () => {
    expect(
      parseOutcomes(' 10, oom,lost,SEGV,sigterm,timeout,cancel,stop,spawn,missing_output,0').map(
        (each) => each.outcome,
      ),
    ).toEqual([
      outcome({ exit_code: 10 }),
      outcome({ oom: true, oom_evidence: 'sampler', signal: 'SIGKILL' }),
      outcome({ lost: true }),
      outcome({ signal: 'SIGSEGV' }),
      outcome({ signal: 'SIGTERM' }),
      outcome({ timed_out: true, signal: 'SIGTERM' }),
      outcome({ canceled: true, signal: 'SIGTERM' }),
      outcome({ stopped: true, signal: 'SIGTERM' }),
      outcome({ spawn_error: 'simulated' }),
      outcome({ exit_code: 0, missing_outputs: ['a declared output'] }),
      outcome({ exit_code: 0 }),
    ]);
    expect(parseOutcomes('lost,unstarted').map(({ started }) => started)).toEqual([true, false]);
  });

  test('may say what the post script and stderr say; otherwise the post script agrees', () => {
    const reported = parseOutcomes('1/42:a: b/c,0,1,0/crash,lost', {
      hasPost: true,
      findPatterns: (text) => (text === '' ? [] : [text]),
    });
    expect(reported.map(({ post, stderrMatches }) => [post?.exit_code, stderrMatches])).toEqual([
      [42, ['a: b/c']],
      [0, []],
      [1, []],
      [null, []],
      [undefined, []],
    ]);
  });

  test.each([
    ['', 'an empty text is no outcome'],
    ['1,,0', 'an empty text is no outcome'],
    ['1,boom', 'boom is no outcome; write an exit code, a signal such as SEGV, or one of oom, timeout,'],
    ['-1', '-1 is no outcome'],
    ['1/42', '1/42: the job has no post script'],
  ])('"%s" is refused', (text, message) => {
    expect(() => parseOutcomes(text)).toThrow(`--outcomes: ${message}`);
  });

  test('a judgement that is none is refused', () => {
    expect(() => parseOutcomes('1/x', { hasPost: true, findPatterns: () => [] })).toThrow(
      '1/x: after / stands the exit code of the post script, or crash',
    );
  });
});
