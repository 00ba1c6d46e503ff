import { describe, expect, it } from 'vitest';
import { DEFAULT_RULE, type FailureRule } from '../../src/core/policy/failure-rule.ts';
import { jobNamed, messagesOf, modelOf, warningsOf } from './spec-text.ts';

const JOB = 'jobs: [{name: a, command: x, failure_handler: h}]';
const handler = (rules: string, jobs = JOB) => `failure_handlers: [{name: h, rules: [${rules}]}]\n${jobs}`;
const ruleOf = (rule: string, jobs = JOB) => modelOf(handler(rule, jobs)).failureHandlers[0]!.rules[0];

describe('a failure handler in the model', () => {
  it.each<[string, Partial<FailureRule>]>([
    ['{match_all_exit_codes: true}', { matchAllExitCodes: true }],
    [
      '{exit_codes: [7, "10-19", " 30 - 31 "]}',
      {
        exitCodes: [
          [7, 7],
          [10, 19],
          [30, 31],
        ],
      },
    ],
    ['{signals: [SEGV, SIGBUS, sigterm]}', { signals: ['SIGSEGV', 'SIGBUS', 'SIGTERM'] }],
    [
      '{exit_codes: [3], recovery_script: fix, timeout: 90s}',
      { exitCodes: [[3, 3]], recoveryScript: 'fix', recoveryTimeoutMs: 90_000 },
    ],
    ['{stderr: "lic.nce busy"}', { stderr: 'lic.nce busy' }],
    [
      '{causes: [oom], memory: x1.5, max_memory: 4g}',
      { causes: ['oom'], memory: { factor: 1.5, value: null, maximum: 4 * 1024 ** 3 } },
    ],
    [
      '{causes: [oom], memory: 8g}',
      { causes: ['oom'], memory: { factor: null, value: 8 * 1024 ** 3, maximum: null } },
    ],
    [
      '{causes: [timeout], runtime: x2, max_runtime: 2h}',
      { causes: ['timeout'], runtime: { factor: 2, value: null, maximum: 7_200_000 } },
    ],
    [
      '{causes: [timeout], runtime: 90}',
      { causes: ['timeout'], runtime: { factor: null, value: 90_000, maximum: null } },
    ],
    [
      '{categories: [infrastructure], category: permanent, verdict: fail, mode: observe, max_retries: 0, delay: 5}',
      {
        categories: ['infrastructure'],
        category: 'permanent',
        verdict: 'fail',
        mode: 'observe',
        maxRetries: 0,
        delayMs: 5000,
      },
    ],
    ['{exit_codes: [1], recovery_script: ./fix.sh}', { exitCodes: [[1, 1]], recoveryScript: './fix.sh' }],
  ])('%s', (rule, expected) => {
    expect(ruleOf(rule)).toEqual({ ...DEFAULT_RULE, ...expected });
  });

  it('has durations in milliseconds where the workflow has steps', () => {
    expect(ruleOf('{exit_codes: [1], delay: 5}', 'steps: {a: {exec: x, failure_handler: h}}')).toMatchObject({
      delayMs: 5,
    });
  });

  it('may use variables in its recovery script', () => {
    expect(
      ruleOf('{exit_codes: [1], recovery_script: "fix ${variables.v} ${HOME}"}', `variables: {v: 7}\n${JOB}`),
    ).toMatchObject({ recoveryScript: 'fix 7 ${HOME}' });
  });

  it('is named by jobs, per expansion, and by steps', () => {
    const swept = modelOf(
      'failure_handlers: [{name: h1, rules: [{exit_codes: [1]}]}, {name: h2, rules: [{exit_codes: [2]}]}]\njobs: [{name: "a{i}", command: x, failure_handler: "h{i}", parameters: {i: "1:2"}}]',
    );
    expect(swept.jobs.map(({ config }) => config.failure_handler)).toEqual(['h1', 'h2']);
    const steps = modelOf(
      handler('{exit_codes: [1]}', 'steps: {a: {exec: x, failure_handler: h}, b: {exec: x}}'),
    );
    expect(jobNamed(steps, 'a').config.failure_handler).toBe('h');
    expect(jobNamed(steps, 'b').config.failure_handler).toBeNull();
  });

  it('may leave failures to a person', () => {
    const model = modelOf(`use_pending_failed: true\n${handler('{exit_codes: [1], verdict: ask}')}`);
    expect(model.usePendingFailed).toBe(true);
    expect(model.failureHandlers[0]!.rules[0]!.verdict).toBe('ask');
  });
});

describe('mistakes in failure handlers have their place', () => {
  it.each([
    [
      'ask without opt-in',
      handler('{exit_codes: [1], verdict: ask}'),
      'flow.yaml:1:65: failure_handlers[0].rules[0].verdict: `ask` needs `use_pending_failed: true` in the workflow',
    ],
    [
      'a recovery script without a retry',
      handler('{exit_codes: [1], verdict: fail, recovery_script: fix}'),
      'flow.yaml:1:88: failure_handlers[0].rules[0].recovery_script: is for a retry, and the rule says `verdict: fail`',
    ],
    [
      'more memory for what is accepted',
      handler('{exit_codes: [1], verdict: accept, memory: x2}'),
      'flow.yaml:1:81: failure_handlers[0].rules[0].memory: is for a retry, and the rule says `verdict: accept`',
    ],
    [
      'stderr that the job discards',
      handler(
        '{exit_codes: [1]}, {stderr: busy}',
        'jobs: [{name: a, command: x, failure_handler: h, stdio: {mode: no_stderr}}]',
      ),
      'flow.yaml:2:47: jobs[0].failure_handler: rule 2 of h looks at stderr, which `stdio` discards (no_stderr); write stdio: {mode: separate} at this job',
    ],
    [
      'stderr that all jobs discard',
      `execution_config: {stdio: {mode: none}}\n${handler('{stderr: busy}')}`,
      'flow.yaml:3:47: jobs[0].failure_handler: rule 1 of h looks at stderr, which `stdio` discards (none); write stdio: {mode: separate} at this job',
    ],
    [
      'a pattern that is none',
      handler('{stderr: "(["}'),
      'flow.yaml:1:47: failure_handlers[0].rules[0].stderr: not a valid pattern (RE2 syntax): a ] is missing in "["',
    ],
    [
      'a pattern that is too long',
      handler(`{stderr: "${'[ab]?'.repeat(201)}"}`),
      'flow.yaml:1:47: failure_handlers[0].rules[0].stderr: a pattern has at most 1000 characters, this one has 1005',
    ],
    [
      'a timeout without a script',
      handler('{exit_codes: [1], timeout: 5m}'),
      'flow.yaml:1:65: failure_handlers[0].rules[0].timeout: limits `recovery_script`, which the rule does not have',
    ],
    [
      'a timeout of nothing',
      handler('{exit_codes: [1], timeout: 0s, recovery_script: fix}'),
      'flow.yaml:1:65: failure_handlers[0].rules[0].timeout: must be longer than 0',
    ],
    [
      'a template in a post script',
      'steps: {a: {exec: x, post: "check {{ outputs.a }}"}}',
      'flow.yaml:1:28: steps.a.post: only `exec` is a template, so {{ is not replaced here',
    ],
    [
      'expansions of one name with different handlers',
      'failure_handlers: [{name: h1, rules: [{exit_codes: [1]}]}, {name: h2, rules: [{exit_codes: [2]}]}]\njobs: [{name: a, command: x, failure_handler: "h{i}", parameters: {i: "1:2"}}]',
      'flow.yaml:2:15: jobs[0].name: several expansions are named "a", but differ in their failure handler; put a parameter into the name',
    ],
  ])('%s', (_, text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });
});

describe('a rule that can never fire is reported', () => {
  const idle = (rules: string) =>
    warningsOf(handler(rules)).map((line) =>
      line.replace('flow.yaml:1:', '').replace('failure_handlers[0].', ''),
    );

  it.each<[string, string, string[]]>([
    [
      'when an earlier rule takes all its codes',
      '{exit_codes: ["10-19"]}, {exit_codes: [12, "14-16"], stderr: disk}',
      ['63: rules[1]: the rule can never fire: rule 1 takes all its exit codes'],
    ],
    [
      'when earlier rules together do',
      '{exit_codes: ["10-14"]}, {exit_codes: ["15-19"]}, {exit_codes: ["12-17"]}',
      ['88: rules[2]: the rule can never fire: rules 1, 2 take all its exit codes'],
    ],
    [
      'when everything is matched before',
      '{match_all_exit_codes: true}, {match_all_exit_codes: true, max_retries: 5}',
      ['68: rules[1]: the rule can never fire: rule 1 already matches everything that is left'],
    ],
    [
      'when its matchers are empty',
      '{exit_codes: []}',
      ['38: rules[0]: the rule can never fire: its matchers are empty'],
    ],
    [
      'and so is what a rule that retries nothing says of its retry',
      '{exit_codes: [1], max_retries: 1, recovery_script: fix}, {exit_codes: [2], max_retries: 0, delay: 5}, {exit_codes: [3], max_retries: 1}',
      [
        '89: rules[0].recovery_script: has no effect: with `max_retries: 1` the rule retries nothing (it counts executions, the first included)',
        '136: rules[1].delay: has no effect: with `max_retries: 0` the rule retries nothing (it counts executions, the first included)',
      ],
    ],
    [
      'and so is a catch-all that has matchers',
      '{stderr: busy, match_all_exit_codes: true}',
      ['75: rules[0].match_all_exit_codes: has no effect: all other matchers of the rule must hold'],
    ],
    [
      'a catch-all after a rule that takes its codes and all others',
      '{exit_codes: [1], match_all_exit_codes: true}, {match_all_exit_codes: true}',
      ['85: rules[1]: the rule can never fire: rule 1 already matches everything that is left'],
    ],
    [
      'but not a rule whose codes are taken and that takes all others too',
      '{exit_codes: [1]}, {exit_codes: [1], match_all_exit_codes: true}',
      [],
    ],
    ['but not one with a code more', '{exit_codes: ["10-19"]}, {exit_codes: ["19-20"]}', []],
    [
      'but not after a rule that has other matchers too',
      '{exit_codes: [1], stderr: x}, {exit_codes: [1]}',
      [],
    ],
    ['but not after a rule that only observes', '{exit_codes: [1], mode: observe}, {exit_codes: [1]}', []],
    ['but not a specific rule after a catch-all', '{match_all_exit_codes: true}, {exit_codes: [1]}', []],
    [
      'but not a catch-all after one that observes',
      '{match_all_exit_codes: true, mode: observe}, {match_all_exit_codes: true}',
      [],
    ],
  ])('%s', (_, rules, expected) => {
    expect(idle(rules)).toEqual(expected);
  });

  it('and so is a handler that no job uses', () => {
    expect(warningsOf(handler('{exit_codes: [1]}', 'jobs: [{name: a, command: x}]'))).toEqual([
      'flow.yaml:1:20: failure_handlers[0]: no job uses "h"',
    ]);
  });
});

describe('a post script in the model', () => {
  const COMMAND = { kind: 'command', command: 'check', permanent_code: 42, abort_code: 43, items: [] };
  const post = (text: string) => modelOf(text).jobs.map(({ config }) => config.post);

  it('has ten minutes by default', () => {
    expect(post('jobs: [{name: a, command: x, post: check}, {name: b, command: x}]')).toEqual([
      { ...COMMAND, timeout_ms: 600_000 },
      null,
    ]);
    expect(post('jobs: [{name: a, command: x, post: {command: check, timeout: 30}}]')).toEqual([
      { ...COMMAND, timeout_ms: 30_000 },
    ]);
    expect(post('steps: {a: {exec: x, post: {command: check, timeout: 30}}}')).toEqual([
      { ...COMMAND, timeout_ms: 30 },
    ]);
  });

  it('is swept, and files in it count as the files of its job', () => {
    const model = modelOf(`files: [{name: "out{i}", path: "o/{i}.txt", parameters: {i: "1:2"}}]
jobs: [{name: "a{i}", command: x, post: "test -s \${files.output.out{i}}", parameters: {i: "1:2"}}]`);
    expect(model.jobs.map(({ config: { post, output_files } }) => ({ post, output_files }))).toMatchObject([
      { post: { command: 'test -s o/1.txt' }, output_files: ['o/1.txt'] },
      { post: { command: 'test -s o/2.txt' }, output_files: ['o/2.txt'] },
    ]);
  });
});
