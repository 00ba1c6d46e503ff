import { describe, expect, test } from 'vitest';
import { describePolicy } from '../../src/core/policy/describe-policy.ts';
import { policyOf, type Said } from './policies.ts';

const GIB = 1024 ** 3;

describe('a policy in words', () => {
  test.each<[string, Said, string[]]>([
    ['nothing', {}, ['any failure is final']],
    [
      'nothing but a person to ask',
      { usePendingFailed: true },
      ['waits for a decision when no rule applies'],
    ],
    [
      'a recovery script',
      {
        rules: [
          {
            exitCodes: [
              [10, 10],
              [11, 11],
            ],
            recoveryScript: 'fix.sh',
          },
        ],
      },
      ['exit 10 and 11: up to 3 executions; run `fix.sh` first', 'everything else fails'],
    ],
    [
      'a catch-all that is listed first, after which nothing is left',
      {
        rules: [
          { matchAllExitCodes: true, maxRetries: 2 },
          { exitCodes: [[10, 19]], delayMs: 30_000 },
        ],
        retry: { max_retries_failure: 5 },
      },
      ['exit 10 to 19: up to 3 executions; wait 30s', 'any other failure: up to 2 executions'],
    ],
    [
      'a rule for its codes and for all others',
      { rules: [{ exitCodes: [[10, 10]], matchAllExitCodes: true, maxRetries: 2 }] },
      ['exit 10: up to 2 executions', 'any other failure: up to 2 executions'],
    ],
    [
      'a rule for its codes and for all others, with another matcher',
      { rules: [{ exitCodes: [[10, 10]], matchAllExitCodes: true, stderr: 'busy' }] },
      [
        'exit 10, with stderr matching "busy": up to 3 executions',
        'any other failure, with stderr matching "busy": up to 3 executions',
        'everything else fails',
      ],
    ],
    [
      'memory and runtime',
      {
        rules: [
          { causes: ['oom'], memory: { factor: 1.5, value: null, maximum: 4 * GIB } },
          { causes: ['timeout'], runtime: { factor: null, value: 7_200_000, maximum: null }, maxRetries: 2 },
        ],
      },
      [
        'out of memory: up to 3 executions; memory x1.5, at most 4g',
        'a timeout: up to 2 executions; runtime 2h00m',
        'everything else fails',
      ],
    ],
    [
      'every verdict and matcher',
      {
        rules: [
          { exitCodes: [[1, 1]], stderr: 'busy', verdict: 'ask' },
          { signals: ['SIGSEGV', 'SIGBUS'], verdict: 'abort' },
          { categories: ['infrastructure'], verdict: 'accept' },
          { exitCodes: [[2, 2]], verdict: 'fail' },
          { exitCodes: [[3, 3]], category: 'data' },
          { exitCodes: [[4, 4]], mode: 'observe' },
          { exitCodes: [[5, 5]], maxRetries: 0 },
          { exitCodes: [[6, 6]], maxRetries: 1 },
        ],
        usePendingFailed: true,
      },
      [
        'exit 1, with stderr matching "busy": waits for a decision',
        'SIGSEGV or SIGBUS: aborts the workflow',
        'a failure called infrastructure: counts as success',
        'exit 2: fails, never retried',
        'exit 3: fails, its category is data',
        'exit 4: only recorded',
        'exit 5: left to `retry`, max_retries is 0',
        'exit 6: fails, 1 execution in all',
        'waits for a decision when no rule applies',
      ],
    ],
    [
      'plain retries, after which nothing is left',
      { retry: { max_retries_failure: 5 } },
      ['any failure: retried up to 5 times, after 1s, 2s, 4s …'],
    ],
    [
      'filters of retries',
      { retry: { max_retries_failure: 1, retry_on_exit_codes: [75], no_retry_on_exit_codes: [2, 3] } },
      ['exit 2 and 3: fails, never retried', 'exit 75: retried once, after 1s', 'everything else fails'],
    ],
    [
      'retries of what no rule matches',
      { rules: [{ exitCodes: [[10, 10]] }], retry: { max_retries_failure: 2, initial_retry_delay_ms: 0 } },
      ['exit 10: up to 3 executions', 'any other failure: retried up to 2 times, at once'],
    ],
    [
      'retries but of timeouts, with equal waits and jitter',
      {
        retry: {
          max_retries_failure: 4,
          backoff_multiplier: 1,
          retry_on_timeout: false,
          jitter: 'full',
        },
      },
      [
        'any failure but a timeout: retried up to 4 times, after 1s each (full jitter)',
        'everything else fails',
      ],
    ],
    [
      'a catch-all that only observes',
      { rules: [{ matchAllExitCodes: true, mode: 'observe' }] },
      ['any failure: only recorded', 'any failure is final'],
    ],
    [
      'a deadline and lost workers',
      { deadlineMs: 3_600_000, retry: { max_retries_preemption: 1 } },
      [
        'any failure is final',
        'no retry starts later than 1h00m after the first start',
        'a lost worker is replaced once',
      ],
    ],
    [
      'a handler that cannot be read',
      { rules: 'unreadable', retry: { max_retries_failure: 3 } },
      ['any failure: fails, its failure handler cannot be read'],
    ],
  ])('%s', (_, said, expected) => {
    expect(describePolicy(policyOf(said))).toEqual(expected);
  });

  test('begins with the post script', () => {
    expect(describePolicy(policyOf({}), true)).toEqual([
      'the post script classifies each attempt',
      'any failure is final',
    ]);
  });
});
