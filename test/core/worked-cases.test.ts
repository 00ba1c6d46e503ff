import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/policy/decide.ts';
import { type Decision, NO_HISTORY, PLAIN_END } from '../../src/core/policy/decision.ts';
import { parseOutcomes } from '../../src/simulate/simulated-outcome.ts';
import { simulate } from './play-policy.ts';
import { policyOf, type Said } from './policies.ts';

const GIB = 1024 ** 3;

/** What a course is classified by; a case names those that matter to it. */
interface Course {
  runs: number;
  /** Recovery scripts in the order run, each with its return code. */
  scripts: [string, number | null][];
  /** Waits before the executions that followed, in ms. */
  waits: number[];
  end: string;
  rule: string;
  reason: string;
  handler: string | null;
  failures: number;
  preemptions: number;
  codes: (number | null)[];
  memory: (number | null)[];
}

function play(reported: string, said: Said, durationMs = 1000): Course {
  const hasPost = reported.includes('/');
  const patterns = ['busy'];
  const steps = simulate(
    policyOf(said),
    parseOutcomes(reported, {
      hasPost,
      findPatterns: (text) => patterns.filter((each) => text.includes(each)),
    }),
    { durationMs },
  );
  const last = steps.at(-1)!;
  return {
    runs: steps.length,
    scripts: steps.flatMap(({ next, match_code }): [string, number | null][] =>
      next?.recovery_script ? [[next.recovery_script, match_code]] : [],
    ),
    waits: steps.flatMap(({ next }) => (next === null ? [] : [next.wait_ms])),
    end: last.status,
    rule: last.rule,
    reason: last.reason,
    handler: last.handler_outcome,
    failures: last.failure_count,
    preemptions: last.preemption_count,
    codes: steps.map(({ match_code }) => match_code),
    memory: steps.map(({ memory_bytes }) => memory_bytes),
  };
}

const ten = { exitCodes: [[10, 10]] as [number, number][], recoveryScript: 'ten' };
const all = { matchAllExitCodes: true, recoveryScript: 'all' };
const upf = { usePendingFailed: true };
const retry = (max_retries_failure: number, more = {}) => ({ retry: { max_retries_failure, ...more } });

type Case = [name: string, said: Said, outcomes: string, course: Partial<Course>];

describe('failure handlers', () => {
  test.each<Case>([
    [
      'H1 a script between two runs',
      { rules: [ten] },
      '10,0',
      { runs: 2, scripts: [['ten', 10]], waits: [0], end: 'completed', failures: 1 },
    ],
    [
      'H2 a rule that is used up fails, also with upf',
      { rules: [ten], ...upf },
      '10,10,10',
      {
        runs: 3,
        scripts: [
          ['ten', 10],
          ['ten', 10],
        ],
        end: 'failed',
        handler: 'MaxRetriesExceeded',
      },
    ],
    [
      'H3 a specific rule goes before a catch-all that is listed first',
      { rules: [all, ten] },
      '10,0',
      { runs: 2, scripts: [['ten', 10]], end: 'completed' },
    ],
    [
      'H4 max_retries 1 is one run',
      { rules: [{ ...all, maxRetries: 1 }] },
      '1',
      { runs: 1, scripts: [], end: 'failed', handler: 'MaxRetriesExceeded' },
    ],
    [
      'H5 no rule matches',
      { rules: [ten] },
      '11',
      { runs: 1, end: 'failed', rule: 'otherwise', handler: 'NoMatchingRule' },
    ],
    [
      'H5 with upf it asks',
      { rules: [ten], ...upf },
      '11',
      { runs: 1, end: 'pending_failed', rule: 'ask', handler: 'NoMatchingRule' },
    ],
    [
      'H6 losses do not count',
      { rules: [ten] },
      'lost,10,lost,10,0',
      { runs: 5, end: 'completed', failures: 2, preemptions: 2 },
    ],
    [
      'H7 a signal is matched by its code',
      { rules: [{ exitCodes: [[139, 139]] }] },
      'SEGV,0',
      { runs: 2, end: 'completed', codes: [139, 0] },
    ],
    [
      'H8 a timeout is 152',
      { rules: [{ exitCodes: [[152, 152]], maxRetries: 2 }] },
      'timeout,0',
      { runs: 2, end: 'completed', codes: [152, 0] },
    ],
    ['H8 without the rule it is terminated', {}, 'timeout', { runs: 1, end: 'terminated' }],
    [
      'H10 a rule that is used up does not fall through to retry',
      { rules: [{ ...ten, maxRetries: 2 }], ...retry(5) },
      '10,10,0',
      { runs: 2, end: 'failed', rule: 'handler', handler: 'MaxRetriesExceeded' },
    ],
    [
      'H11 retry applies where no rule does',
      { rules: [ten], ...retry(1) },
      '7,0',
      { runs: 2, scripts: [], waits: [1000], end: 'completed' },
    ],
    [
      'H12 a run has two executions, the next run two more: its first',
      { rules: [{ ...ten, maxRetries: 2 }] },
      '10,10',
      { runs: 2, end: 'failed', handler: 'MaxRetriesExceeded' },
    ],
    [
      'H12 its second, with a fresh budget',
      { rules: [{ ...ten, maxRetries: 2 }] },
      '10,0',
      { runs: 2, end: 'completed' },
    ],
    [
      'H15 a rule with codes and match_all_exit_codes is a catch-all for other codes',
      { rules: [{ ...ten, matchAllExitCodes: true, maxRetries: 2 }] },
      '11,0',
      { runs: 2, scripts: [['ten', 11]], end: 'completed' },
    ],
    [
      'H15 it is specific for its codes, ahead of a catch-all listed first',
      { rules: [all, { ...ten, matchAllExitCodes: true }] },
      '10,11,0',
      {
        runs: 3,
        scripts: [
          ['ten', 10],
          ['all', 11],
        ],
        end: 'completed',
      },
    ],
    [
      'H15 a specific rule for another code goes before it',
      {
        rules: [
          { ...ten, matchAllExitCodes: true },
          { exitCodes: [[11, 11]], recoveryScript: 'eleven' },
        ],
      },
      '11,12,0',
      {
        runs: 3,
        scripts: [
          ['eleven', 11],
          ['ten', 12],
        ],
        end: 'completed',
      },
    ],
    [
      'H15 its other matchers must hold for other codes too',
      { rules: [{ ...ten, matchAllExitCodes: true, stderr: 'busy' }] },
      '11:busy,11',
      { runs: 2, scripts: [['ten', 11]], end: 'failed', handler: 'NoMatchingRule' },
    ],
    [
      'H16 a missing output has match code 1',
      { rules: [{ exitCodes: [[1, 1]], maxRetries: 2 }] },
      'missing_output,0',
      { runs: 2, end: 'completed', codes: [1, 0] },
    ],
    [
      'H14 memory grows by a factor, up to its maximum',
      {
        rules: [{ causes: ['oom'], memory: { factor: 1.5, value: null, maximum: 4 * GIB } }],
        memoryBytes: 2 * GIB,
      },
      'oom,oom,oom',
      { runs: 3, memory: [2 * GIB, 3 * GIB, 4 * GIB], end: 'failed', handler: 'MaxRetriesExceeded' },
    ],
    ['a job without a handler says so', {}, '1', { end: 'failed', handler: 'NoHandler', rule: 'otherwise' }],
    [
      'a handler that cannot be read fails, also with upf',
      { rules: 'unreadable', ...retry(3), ...upf },
      '1',
      { runs: 1, end: 'failed', handler: 'Error' },
    ],
    [
      'a rule waits for its delay, and only for that',
      { rules: [{ ...ten, delayMs: 30_000 }], ...retry(5) },
      '10,10,0',
      { waits: [30_000, 30_000], end: 'completed' },
    ],
    [
      'max_retries 0 is no budget: retry applies',
      { rules: [{ ...ten, maxRetries: 0 }], ...retry(1) },
      '10,0',
      { runs: 2, scripts: [], waits: [1000], end: 'completed' },
    ],
    [
      'all matchers of a rule must hold',
      { rules: [{ ...ten, stderr: 'busy' }] },
      '10:the licence server is busy,10:no such file',
      { runs: 2, scripts: [['ten', 10]], end: 'failed', handler: 'NoMatchingRule' },
    ],
    [
      'a rule with verdict fail ends it, also with upf',
      { rules: [{ ...ten, verdict: 'fail' }, all], ...retry(3), ...upf },
      '10',
      { runs: 1, end: 'failed', rule: 'final' },
    ],
    [
      'a rule may call a failure permanent',
      { rules: [{ ...ten, category: 'permanent' }], ...retry(3), ...upf },
      '10',
      { runs: 1, end: 'failed', rule: 'final' },
    ],
    ['a rule may accept', { rules: [{ ...ten, verdict: 'accept' }] }, '10', { runs: 1, end: 'completed' }],
    [
      'a rule may ask',
      { rules: [{ ...ten, verdict: 'ask' }], ...retry(3), ...upf },
      '10',
      { runs: 1, end: 'pending_failed', rule: 'handler' },
    ],
    [
      'a rule cannot ask without opt-in',
      { rules: [{ ...ten, verdict: 'ask' }] },
      '10',
      { runs: 1, end: 'failed', rule: 'handler' },
    ],
    [
      'an observing rule is passed over',
      { rules: [{ ...ten, mode: 'observe', verdict: 'fail' }, { exitCodes: [[10, 12]] }] },
      '10,0',
      { runs: 2, scripts: [], end: 'completed' },
    ],
    [
      'a handler retry that would start after the deadline is not made',
      { rules: [{ ...ten, delayMs: 9000 }], deadlineMs: 10_000 },
      '10,0',
      { runs: 1, scripts: [], end: 'failed', rule: 'handler' },
    ],
  ])('%s', (_, said, reported, expected) => {
    expect(play(reported, said)).toMatchObject(expected);
  });

  test('abort takes the workflow with it', () => {
    const [step] = simulate(policyOf({ rules: [{ ...ten, verdict: 'abort' }] }), parseOutcomes('10'), {
      durationMs: 1,
    });
    expect(step).toMatchObject({ verdict: 'abort', status: 'failed', next: null });
  });
});

describe('retry, preemption, stop', () => {
  test.each<Case>([
    ['R1 no policy: one run', {}, '1', { runs: 1, end: 'failed', rule: 'otherwise' }],
    ['R1 with upf it asks', upf, '1', { runs: 1, end: 'pending_failed', rule: 'ask' }],
    ['R2 waits of 1 s and 2 s', retry(3), '1,1,0', { runs: 3, waits: [1000, 2000], end: 'completed' }],
    [
      'R3 the filter does not match',
      retry(3, { retry_on_exit_codes: [75] }),
      '1',
      { runs: 1, end: 'failed', rule: 'otherwise' },
    ],
    [
      'R3 with upf it asks',
      { ...retry(3, { retry_on_exit_codes: [75] }), ...upf },
      '1',
      { runs: 1, end: 'pending_failed' },
    ],
    [
      'R4 deny wins over allow, and the user has decided',
      { ...retry(3, { retry_on_exit_codes: [5], no_retry_on_exit_codes: [5] }), ...upf },
      '5',
      { runs: 1, end: 'failed', rule: 'final', reason: 'code 5 is in no_retry_on_exit_codes' },
    ],
    [
      'R5 losses are not failures',
      retry(1),
      'lost,1,lost,0',
      { runs: 4, waits: [0, 1000, 0], end: 'completed', failures: 1, preemptions: 2 },
    ],
    [
      'R6 the preemption budget ends',
      { retry: { max_retries_preemption: 1 } },
      'lost,lost',
      { runs: 2, end: 'failed', rule: 'lost' },
    ],
    [
      'R6 and it is not asked about',
      { retry: { max_retries_preemption: 1 }, rules: [all], ...upf },
      'lost,lost',
      { runs: 2, scripts: [], end: 'failed', rule: 'lost', handler: null },
    ],
    [
      'R7 canceled is never retried',
      { ...retry(5), rules: [all], ...upf },
      'cancel',
      { runs: 1, scripts: [], end: 'canceled', rule: 'canceled' },
    ],
    [
      'R9 a budget was exhausted, also with upf',
      { ...retry(1), ...upf },
      '1,1',
      { runs: 2, end: 'failed', rule: 'retry' },
    ],
    [
      'R10 never started is free',
      { retry: { max_retries_preemption: 0 } },
      'unstarted,0',
      { waits: [0], end: 'completed', failures: 0, preemptions: 0 },
    ],
    [
      'R11 stopped is free',
      { retry: { max_retries_preemption: 0 }, rules: [all] },
      'stop,stop,0',
      { runs: 3, scripts: [], end: 'completed', failures: 0, preemptions: 0 },
    ],
    [
      'R12 the wait counts from the failure',
      retry(2, { initial_retry_delay_ms: 30_000 }),
      '1,0',
      { waits: [30_000], end: 'completed' },
    ],
    ['a signal without a retry ends as terminated', {}, 'SEGV', { end: 'terminated' }],
    ['out of memory without a retry ends as failed', {}, 'oom', { end: 'failed', codes: [137] }],
    [
      'a timeout is retried as code 152',
      retry(1, { retry_on_exit_codes: [152] }),
      'timeout,0',
      { end: 'completed' },
    ],
    [
      'a timeout is not retried where that was chosen',
      retry(3, { retry_on_timeout: false }),
      '1,timeout',
      { runs: 2, end: 'terminated', rule: 'otherwise' },
    ],
    [
      'a timeout that is not retried is asked about with upf',
      { ...retry(3, { retry_on_timeout: false }), ...upf },
      'timeout',
      { runs: 1, end: 'pending_failed' },
    ],
    [
      'after three losses in a row it backs off',
      {},
      'lost,lost,lost,lost,0',
      { waits: [0, 0, 1000, 2000], end: 'completed', preemptions: 4 },
    ],
    [
      'a failure between them begins a new row of losses',
      retry(1, { initial_retry_delay_ms: 0 }),
      'lost,lost,1,lost,lost,0',
      { waits: [0, 0, 0, 0, 0], end: 'completed' },
    ],
    [
      'the wait is capped',
      retry(9, { initial_retry_delay_ms: 10_000, max_retry_delay_ms: 25_000 }),
      '1,1,1,1,0',
      { waits: [10_000, 20_000, 25_000, 25_000] },
    ],
  ])('%s', (_, said, reported, expected) => {
    expect(play(reported, said)).toMatchObject(expected);
  });

  test('R6 names worker_lost', () => {
    expect(play('lost', { retry: { max_retries_preemption: 0 } }).reason).toMatch(/^worker_lost/);
  });

  test('R8 a retry that would start after the deadline is not made', () => {
    const late = play('1,0', { ...retry(5), deadlineMs: 10_000 }, 9000);
    expect(late).toMatchObject({ runs: 1, end: 'failed', rule: 'retry' });
    expect(late.reason).toMatch(/^deadline:/);
    expect(play('1,0', { ...retry(5), deadlineMs: 10_000, ...upf }, 9000).end).toBe('failed');
    expect(play('1,0', { ...retry(5), deadlineMs: 10_000 }, 8999)).toMatchObject({
      runs: 2,
      end: 'completed',
    });
  });

  test('a re-attempt that would start after the deadline says so, and a goto is taken in its place', () => {
    const reattempt = { max: 2, mode: 'fixed', delay_ms: 9000 } as const;
    const onFail = { run: [], run_js: null, goto: null, goto_js: null, reattempt };
    const routes = { onFail, onSuccess: null, maxLoops: 10, called: false };
    const late = play('1,0', { routes, deadlineMs: 10_000 });
    expect(late).toMatchObject({ runs: 1, end: 'failed', rule: 'routes' });
    expect(late.reason).toBe('deadline: the retry would start after 10s from the first start');
    const jumping = { ...routes, onFail: { ...onFail, goto: 'fetch' } };
    expect(play('1', { routes: jumping, deadlineMs: 10_000 }).reason).toBe('on_fail: goes back to fetch');
  });
});

describe('post scripts', () => {
  test.each<Case>([
    [
      'P1 42 is permanent, also with upf',
      { ...retry(3), rules: [all], ...upf },
      '1/42',
      { runs: 1, scripts: [], end: 'failed', rule: 'final' },
    ],
    ['P2 0 accepts', {}, '1/0', { runs: 1, end: 'completed', rule: 'post', failures: 0 }],
    [
      'P3 a success that it does not accept is retried',
      retry(1),
      '0/1,0/0',
      { runs: 2, waits: [1000], end: 'completed', failures: 1 },
    ],
    ['P4 43 aborts', { ...retry(3), ...upf }, '1/43', { runs: 1, end: 'failed', rule: 'post' }],
    [
      'anything else continues with the rules',
      { rules: [ten] },
      '10/1,0/0',
      { runs: 2, scripts: [['ten', 10]] },
    ],
    ['one that crashes is transient', retry(1), '0/crash,0/0', { runs: 2, end: 'completed' }],
    ['it is not asked about what was lost', {}, 'lost/0,0/0', { runs: 2, preemptions: 1, end: 'completed' }],
  ])('%s', (_, said, reported, expected) => {
    expect(play(reported, said)).toMatchObject(expected);
  });

  const judged = (post: object, said: Said = {}): Decision =>
    decide(
      {
        outcome: parseOutcomes('1')[0]!.outcome,
        attemptId: 1,
        startedAt: 0,
        finishedAt: 1000,
        seed: 0,
        ...PLAIN_END,
        post: {
          exit_code: 1,
          category: null,
          bad_inputs: [],
          memory_bytes: null,
          runtime_ms: null,
          delay_ms: null,
          reason: null,
          report_code: null,
          message: null,
          problem: null,
          log_tail: null,
          ...post,
        },
        stderrMatches: [],
      },
      policyOf(said),
      { ...NO_HISTORY, firstStartedAt: 0 },
    );

  test('P4 says that it aborted', () => {
    expect(judged({ exit_code: 43 })).toMatchObject({ verdict: { kind: 'abort', status: 'failed' } });
    expect(judged({ exit_code: 43 }).reason).toMatch(/^aborted/);
  });

  test('its word on the category goes before that of a rule', () => {
    const said: Said = { rules: [{ ...all, category: 'transient' }] };
    expect(judged({ category: 'data' }, said)).toMatchObject({ rule: 'final', category: 'data' });
    expect(judged({ exit_code: 42, category: 'transient' }, said)).toMatchObject({ category: 'permanent' });
  });

  test('its delay and resources hold for the retry, unless the rule has its own', () => {
    const post = { delay_ms: 7000, memory_bytes: 500, runtime_ms: 60 };
    expect(judged(post, retry(1))).toMatchObject({
      verdict: { kind: 'retry', notBefore: 8000 },
      reason: 'retry 1 of 1 after 7s, with 500b of memory and a runtime of 60ms',
      memoryBytes: 500,
      runtimeMs: 60,
    });
    const rules = [{ ...all, delayMs: 1, memory: { factor: null, value: 900, maximum: null } }];
    expect(judged(post, { rules })).toMatchObject({
      verdict: { kind: 'retry', notBefore: 1001 },
      memoryBytes: 900,
      runtimeMs: 60,
    });
  });
});
