import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signalNumber } from '../../src/core/job/outcome.ts';
import { decide, decideOrAsk } from '../../src/core/policy/decide.ts';
import { type Decision, type Policy, RULE_NAMES } from '../../src/core/policy/decision.ts';
import { DEFAULT_RETRY, retryDelayMs } from '../../src/core/policy/retry-policy.ts';
import { courses } from '../property-runs.ts';
import { anyEnded, anyHistory, anyPolicy } from './policies.ts';

describe('decide', () => {
  const always = (check: (decision: Decision, facts: Facts) => void, numRuns = 3000) =>
    fc.assert(
      fc.property(anyEnded, anyPolicy, anyHistory, (ended, policy, history) => {
        const { decision } = decideOrAsk(ended, policy, history);
        if (decision !== null) check(decision, { ended, policy, history });
      }),
      { numRuns: courses(numRuns) },
    );
  interface Facts {
    ended: Parameters<typeof decide>[0];
    policy: Policy;
    history: Parameters<typeof decide>[2];
  }

  test('is total and deterministic', () => {
    always((decision, { ended, policy, history }) => {
      expect(decide(ended, policy, history)).toEqual(decision);
    });
  });

  test('never retries what was canceled, permanent or data', () => {
    always(({ cause, category, verdict }) => {
      if (cause === 'canceled') expect(verdict.kind).toBe('cancel');
      if ((category === 'permanent' || category === 'data') && verdict.kind === 'retry')
        expect(verdict.run, 'something changes before it').not.toEqual([]);
    });
  });

  test('completes only what succeeded or was accepted', () => {
    always(({ cause, rule, verdict }, { ended }) => {
      if (verdict.kind !== 'complete') return;
      if (rule === 'post') expect(ended.post?.exit_code).toBe(0);
      else if (rule === 'success') expect(cause).toBeNull();
      else expect(rule).toBe('handler');
    });
  });

  test('keeps to its budgets', () => {
    always(({ cause, matchCode, reason, rule, verdict }, { ended, policy, history }) => {
      if (verdict.kind === 'retry' && rule === 'retry') {
        expect(history.failures).toBeLessThan(policy.retry.max_retries_failure);
        expect(policy.retry.no_retry_on_exit_codes).not.toContain(matchCode);
        if (ended.post === null)
          expect(verdict.notBefore - ended.finishedAt).toBeLessThanOrEqual(policy.retry.max_retry_delay_ms);
      }
      if (verdict.kind === 'retry' && rule === 'handler') {
        if (policy.handler === null || policy.handler === 'unreadable') throw new Error('it has no rules');
        const number = Number(/^rule (\d+) of h:/.exec(reason)![1]);
        expect(history.failures + 1).toBeLessThan(policy.handler.rules[number - 1]!.maxRetries);
      }
      if (rule === 'routes' && (verdict.kind === 'retry' || verdict.kind === 'goto')) {
        expect(history.loops).toBeLessThan(policy.routes!.maxLoops);
      }
      if (rule === 'routes' && verdict.kind === 'retry') {
        expect(history.reattempts).toBeLessThan(Math.max(1, policy.routes!.onFail!.reattempt.max));
      }
      if (verdict.kind === 'requeue' && cause === 'lost' && ended.startedAt !== null) {
        expect(history.preemptions).toBeLessThan(policy.retry.max_retries_preemption);
      }
    });
  });

  test('never plans a retry at or after the deadline, or before the end of the attempt', () => {
    always(({ verdict }, { ended, policy, history }) => {
      if (verdict.kind !== 'retry') return;
      expect(verdict.notBefore).toBeGreaterThanOrEqual(ended.finishedAt);
      const firstStart = history.firstStartedAt ?? ended.startedAt;
      if (policy.deadlineMs !== null && firstStart !== null)
        expect(verdict.notBefore).toBeLessThan(firstStart + policy.deadlineMs);
    });
  });

  test('asks nobody without use_pending_failed, and changes nothing unless it retries', () => {
    always(({ verdict, recoveryScript, memoryBytes, runtimeMs }, { policy }) => {
      if (verdict.kind === 'ask') expect(policy.usePendingFailed).toBe(true);
      if (verdict.kind !== 'retry')
        expect([recoveryScript, memoryBytes, runtimeMs]).toEqual([null, null, null]);
    });
  });

  test('is never decided by a rule that observes', () => {
    always((decision, { ended, policy, history }) => {
      if (policy.handler === null || policy.handler === 'unreadable') return;
      const acting = policy.handler.rules.filter(({ mode }) => mode === 'act');
      const without = decide(ended, { ...policy, handler: { name: 'h', rules: acting } }, history);
      const essence = ({ walk: _, reason: __, ...rest }: Decision) => rest;
      expect(essence(decision)).toEqual(essence(without));
    });
  });

  test('shows what the handler decided whenever it was asked and has a say', () => {
    always(({ handlerOutcome, rule, verdict, walk }, { policy }) => {
      const asked = walk.some((step) => step.rule === 'handler');
      if (!asked) expect(handlerOutcome).toBeNull();
      else if (policy.handler === null) expect(handlerOutcome).toBe('NoHandler');
      else if (policy.handler === 'unreadable') expect(handlerOutcome).toBe('Error');
      else if (rule === 'handler' && verdict.kind === 'retry') expect(handlerOutcome).toBe('Retried');
    });
  });

  test('jumps only where a route leads, and never out of a call', () => {
    always(({ verdict }, { ended, policy }) => {
      if (verdict.kind !== 'goto') return;
      expect(policy.routes!.called).toBe(false);
      const routes = verdict.status === 'completed' ? policy.routes!.onSuccess! : policy.routes!.onFail!;
      expect(verdict.target).toBe(ended.dynamic.goto ?? routes.goto);
    });
  });

  test('walks the rules in order and ends with the one that decided', () => {
    always(({ walk, rule, reason }) => {
      const asked = walk.map((step) => step.rule);
      // Where a retry is ruled out, the walk continues with the routes at once.
      expect(asked).toEqual(RULE_NAMES.filter((name) => asked.includes(name)));
      if (!asked.includes('routes')) expect(asked).toEqual(RULE_NAMES.slice(0, walk.length));
      expect(walk.map((step) => step.applies)).toEqual(walk.map((_, index) => index === walk.length - 1));
      expect(walk.at(-1)).toMatchObject({ rule, because: reason });
    });
  });

  test('reaches every rule and every verdict in these properties', () => {
    const rules = new Set<string>();
    const verdicts = new Set<string>();
    always(({ rule, verdict }) => {
      rules.add(rule);
      verdicts.add(verdict.kind);
    });
    expect([...rules].sort()).toEqual([...RULE_NAMES].sort());
    expect(verdicts.size).toBe(12);
  });

  test('asks only for code that a route of the job has, and decides once that was evaluated', () => {
    let asked = 0;
    const check = (...[ended, policy, history]: Parameters<typeof decide>) => {
      const { open } = decideOrAsk(ended, policy, history);
      if (open === null) return;
      asked += 1;
      expect(() => decide(ended, policy, history)).toThrow(open.keys.join(', '));
      const routes = open.failed ? policy.routes!.onFail! : policy.routes!.onSuccess!;
      for (const key of open.keys) {
        expect(routes[key as 'run_js' | 'goto_js']).not.toBeNull();
        expect(ended.dynamic[key === 'run_js' ? 'run' : 'goto']).toBeUndefined();
      }
      expect(decideOrAsk({ ...ended, dynamic: { run: [], goto: null } }, policy, history).open).toBeNull();
    };
    fc.assert(fc.property(anyEnded, anyPolicy, anyHistory, check), { numRuns: courses(3000) });
    expect(asked).toBeGreaterThan(50);
  });

  test('charges failures and losses, and nothing that succeeded or was accepted, wherever that leads', () => {
    const charges = new Set<unknown>();
    always(({ cause, charge, rule, status, succeeded, verdict, walk }, { ended }) => {
      charges.add(charge);
      const isFree =
        cause === null ||
        cause === 'stopped' ||
        verdict.kind === 'cancel' ||
        verdict.kind === 'supersede' ||
        (rule === 'post' && ended.post!.exit_code === 0) ||
        walk.at(-1)!.because.startsWith('accepted by') ||
        (rule === 'handler' && (verdict.kind === 'call' || verdict.kind === 'goto')) ||
        (rule === 'handler' && verdict.kind === 'loop_abort');
      if (cause === 'lost' && verdict.kind !== 'supersede') {
        expect(charge).toBe(ended.startedAt === null ? null : 'preemption');
      } else expect(charge).toBe(isFree ? null : 'failure');
      if (succeeded) expect(['completed', 'blocked']).toContain(status);
      if (status === 'completed') expect(succeeded).toBe(true);
    });
    expect(charges).toEqual(new Set([null, 'failure', 'preemption']));
  });

  test('has jitter that depends on the attempt and its seed only, within its bounds', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 20 }), (jitter_seed, seed, number) => {
        const plain = retryDelayMs({ ...DEFAULT_RETRY, jitter_seed }, number, seed);
        const full = retryDelayMs({ ...DEFAULT_RETRY, jitter_seed, jitter: 'full' }, number, seed);
        const equal = retryDelayMs({ ...DEFAULT_RETRY, jitter_seed, jitter: 'equal' }, number, seed);
        expect(full).toBeGreaterThanOrEqual(0);
        expect(full).toBeLessThanOrEqual(plain);
        expect(equal).toBeGreaterThanOrEqual(plain / 2 - 1);
        expect(equal).toBeLessThanOrEqual(plain);
      }),
      { numRuns: courses(100) },
    );
  });

  test('knows the numbers of signals', () => {
    expect(['SIGHUP', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGXFSZ'].map(signalNumber)).toEqual([
      1, 9, 11, 15, 25,
    ]);
  });
});
