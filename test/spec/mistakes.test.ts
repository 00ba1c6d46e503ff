import { describe, expect, it } from 'vitest';
import { messagesOf, problemsOf } from './spec-text.ts';

describe('mistakes in a spec', () => {
  it('are all reported at once, each at its own place', () => {
    const text = `name: five
jobs:
  - name: a
    comand: echo
    command: echo a
    timeout: 5 parsecs
  - name: b
    command: echo b
    depends_on: [aa]
    retry: { initial_delay: 1, initial_retry_delay_ms: 5 }
  - name: a
    command: echo again
`;
    expect(messagesOf(text)).toEqual([
      'flow.yaml:4:5: jobs[0].comand: unknown key "comand"; did you mean "command"?',
      'flow.yaml:6:14: jobs[0].timeout: "5 parsecs" is not a duration; write 30s, 1h30m, 5 minutes, PT1H30M or a number',
      'flow.yaml:9:18: jobs[1].depends_on[0]: there is no job "aa"; did you mean "a"?',
      'flow.yaml:10:14: jobs[1].retry.initial_delay: initial_delay and initial_retry_delay_ms say the same thing; keep one of them',
      'flow.yaml:11:11: jobs[2].name: the name "a" is already used by jobs[0]',
    ]);
  });

  it('in one part of an entry do not hide those in the rest of it', () => {
    const text = `failure_handlers:
  - name: h
    rules:
      - exit_codes: ["20-11"]
      - recovery_script: fix
      - stderr: "(["
jobs:
  - { name: a, command: x, failure_handler: hh, retry: { max_retries_failure: -1, max_delay: 1, max_retry_delay_ms: 1 } }
`;
    expect(problemsOf(text).map(({ path }) => path)).toEqual([
      'failure_handlers[0].rules[0].exit_codes[0]',
      'failure_handlers[0].rules[1]',
      'failure_handlers[0].rules[2].stderr',
      'jobs[0].failure_handler',
      'jobs[0].retry.max_retries_failure',
      'jobs[0].retry.max_delay',
    ]);
  });

  const job = (more: string) => `jobs:\n  - name: a\n    command: echo\n    ${more}\n`;
  const step = (more: string) => `steps:\n  a: { exec: echo }\n  b:\n    exec: echo\n    ${more}\n`;
  it.each<[string, string, string]>([
    ['a spec that is not an object', '- 1\n', 'flow.yaml:1:1: expected an object with keys, got a list'],
    ['an empty file', '', 'flow.yaml:1:1: expected an object with keys, got nothing'],
    ['neither jobs nor steps', 'name: x\n', 'nothing to run'],
    [
      'both jobs and steps',
      'jobs: [{name: a, command: x}]\nsteps: {a: {exec: x}}\n',
      '2:1: steps: a workflow has either',
    ],
    ['an empty list of jobs', 'jobs: []\n', '1:7: jobs: the list must not be empty'],
    ['no step', 'steps: {}\n', 'there is no step'],
    [
      'a number as a step id',
      'steps: {b: {exec: x}, 1: {exec: x}}\n',
      'steps.1: a step id must not be a number',
    ],
    ['a missing command', 'jobs:\n  - name: a\n', '2:5: jobs[0].command: this key is required'],
    [
      'a text where a number is due',
      job('priority: high'),
      '4:15: jobs[0].priority: expected a number, got "high"',
    ],
    [
      'a number where a text is due',
      'jobs: [{name: 1, command: x}]\n',
      'expected a text, got 1; put it in quotes',
    ],
    [
      'a value out of a choice',
      job('parameter_mode: zipp'),
      'one of product, zip, got "zipp"; did you mean "zip"?',
    ],
    [
      'an unknown key deep inside',
      job('retry: { jiter: full }'),
      'jobs[0].retry.jiter: unknown key "jiter"; did you mean "jitter"?',
    ],
    [
      'an unknown top-level key',
      'job: []\njobs: [{name: a, command: x}]\n',
      '1:1: job: unknown key "job"; did you mean "jobs"?',
    ],
    ['an empty name', 'jobs: [{name: " ", command: x}]\n', 'a name must not be empty'],
    ['a name of two lines', 'jobs: [{name: "a\\nb", command: x}]\n', 'a name must be on one line'],
    ['a NUL in a command', 'jobs: [{name: a, command: "x\\0y"}]\n', 'must not contain a NUL'],
    ['a bad size', job('resource_requirements: { memory: 2x }'), '"2x" is not a size'],
    [
      'a duplicate requirement',
      `resource_requirements: [{name: r}, {name: r}]\n${job('priority: 1')}`,
      'already used by resource_requirements[0]',
    ],
    [
      'an unknown requirement',
      `resource_requirements: [{name: small}]\n${job('resource_requirements: smal')}`,
      '`resource_requirements` have no "smal"; did you mean "small"?',
    ],
    ['an unknown failure handler', job('failure_handler: h'), '`failure_handlers` have no "h"'],
    ['an unknown scheduler', job('scheduler: gpu'), '`slurm_schedulers` have no "gpu"'],
    ['unknown user data', job('input_user_data: [model]'), '`user_data` have no "model"'],
    [
      'unknown user data in a command',
      'jobs: [{name: a, command: "x ${user_data.input.m}"}]\n',
      '`user_data` have no "m"',
    ],
    [
      'an unknown file',
      `files: [{name: data, path: d.csv}]\n${job('input_files: [dta]')}`,
      '`files` have no "dta" (a path would be ./dta); did you mean "data"?',
    ],
    [
      'an unknown file in a command',
      'jobs: [{name: a, command: "cat ${files.input.x}"}]\n',
      '`files` have no "x"',
    ],
    [
      'files without a direction',
      'jobs: [{name: a, command: "cat ${files.x}"}]\n',
      'write ${files.input.NAME}',
    ],
    [
      'an unknown variable',
      'variables: {target: 1}\njobs: [{name: a, command: "x ${variables.targt}"}]\n',
      '`variables` have no "targt"; did you mean "target"?',
    ],
    ['a named resource without a limit', job('resources: { licence: 1 }'), '`limits` have no "licence"'],
    [
      'more of a resource than there is',
      `limits: { licence: 2 }\n${job('resources: { licence: 3 }')}`,
      'takes 3 of "licence", but its limit is 2',
    ],
    ...[
      'timeout: PT0S',
      'deadline: 0',
      'scheduling_timeout: 0ms',
      'resource_requirements: {runtime: PT0S}',
    ].map((limit): [string, string, string] => [
      `a limit of no time (${limit})`,
      job(limit),
      'must be longer than 0; leave it out for no limit',
    ]),
    ['a limit of no memory', job('resource_requirements: {memory: 0g}'), 'must be more than 0'],
    [
      'a rule that leaves no time',
      'failure_handlers: [{name: h, rules: [{causes: [timeout], runtime: x0}]}]\njobs: [{name: a, command: x}]',
      'expected a factor such as "x1.5" or a duration such as 2h',
    ],
    ['a pattern that is none', job('depends_on_regexes: ["(("]'), 'not a valid pattern (RE2 syntax)'],
    ['a pattern without a match', job('depends_on_regexes: ["z"]'), '"z" matches no other job'],
    ['a sweep that is none', job('parameters: { i: "1:x" }'), '"1:x" is not a sweep'],
    ['a sweep without values', job('parameters: { i: "5:1" }'), 'has no values'],
    ['an endless sweep', job('parameters: { i: "1:5:0" }'), 'must not be 0'],
    [
      'a zip of different lengths',
      job('parameters: { i: "1:2", j: "1:3" }\n    parameter_mode: zip'),
      'i has 2, j has 3',
    ],
    ['an unknown shared parameter', `parameters: { i: "1:2" }\n${job('use_parameters: [j]')}`, 'have no "j"'],
    [
      'a format that does not fit',
      'jobs: [{name: "a{i:03d}", command: x, parameters: {i: [x]}}]\n',
      '{i:03d} cannot format "x"',
    ],
    ['an unknown format', 'jobs: [{name: "a{i:%d}", command: x, parameters: {i: [1]}}]\n', 'unknown format'],
    [
      'expansions that differ under one name',
      'jobs: [{name: a, command: "x {i}", parameters: {i: "1:2"}}]\n',
      'differ in their command; put a parameter into the name',
    ],
    [
      'a file with two producers',
      'jobs: [{name: a, command: x, output_files: ./f}, {name: b, command: x, output_files: [f.]}, {name: c, command: x, output_files: ./f}]\n',
      'f is also written by "a" (jobs[0])',
    ],
    [
      'a cycle',
      'jobs: [{name: a, command: x, depends_on: c}, {name: b, command: x, depends_on: a}, {name: c, command: x, depends_on: b}]\n',
      'waits for itself: a → c → b → a',
    ],
    ['a job that waits for itself', job('depends_on: a'), 'waits for itself: a → a'],
    ['retry and on_fail.retry', job('retry: {}\n    on_fail: { retry: { max: 1 } }'), 'exclude each other'],
    ['a goto to nowhere', step('on_fail: { goto: c }'), 'there is no job or step "c"'],
    [
      'a goto to a later step',
      'steps:\n  a: { exec: x, on_fail: { goto: b } }\n  b: { exec: x }\n',
      '"b" does not come before "a"',
    ],
    [
      'a run of nothing known',
      step('on_fail: { run: [aa] }'),
      'there is no job or step "aa"; did you mean "a"?',
    ],
    [
      'an on-call step that planned ones need',
      'steps:\n  a: { exec: x, on_call: true }\n  b: { exec: x, depends_on: a }\n',
      'planned jobs depend on "a"',
    ],
    ['a step of another type', step('type: ai'), '"ai" steps do not exist here; only `type: command` does'],
    ['a template in env', step('env: { A: "{{ outputs.a }}" }'), 'only `exec` is a template'],
    [
      'an unclosed template',
      'steps: {a: {exec: "echo {{ variables.x"}}\n',
      'template: {{ is not closed; a }} is missing',
    ],
    [
      'an unknown filter',
      'variables: {x: 1}\nsteps: {a: {exec: "echo {{ variables.x | shout }}"}}\n',
      'there is no filter "shout"',
    ],
    [
      'a template that reads a step it does not follow',
      'steps:\n  a: { exec: x, depends_on: [] }\n  b: { exec: "x {{ outputs.a }}" }\n',
      'does not depend on it',
    ],
    [
      'a template that reads an unknown step',
      'steps: {build: {exec: x}, b: {exec: "x {{ outputs.biuld.version }}"}}\n',
      'there is no step "biuld"; did you mean "build"?',
    ],
    [
      'a template that reads something else',
      'steps: {a: {exec: "x {{ env.HOME }}"}}\n',
      'there is no "env"; a template sees `outputs` and `variables`',
    ],
    ['a condition that is no expression', step('if: "return 1"'), 'not valid JavaScript'],
    ['a condition that ends its own brackets', step('if: "1); (2"'), 'not valid JavaScript'],
    [
      'routing code that ends its own braces',
      step('on_fail: { run_js: "}); (function () {" }'),
      'not valid JavaScript',
    ],
    [
      'a substitution of jobs in a step',
      'steps: {a: {exec: "x ${variables.v}"}}\n',
      '${variables.v} is for `jobs`',
    ],
    ['code that is too long', step(`on_fail: { goto_js: "${'x'.repeat(9000)}" }`), 'longer than 8192 bytes'],
    [
      'keys of jobs in a workflow of steps',
      'files: []\nsteps: {a: {exec: x}}\n',
      '`files` is for `jobs`; steps do not use it',
    ],
    ['written order for jobs', `order: written\n${job('priority: 1')}`, '`order: written` is for `steps`'],
    [
      'ask without pending_failed',
      `failure_handlers: [{name: h, rules: [{match_all_exit_codes: true, verdict: ask}]}]\n${job('failure_handler: h')}`,
      '`ask` needs `use_pending_failed: true`',
    ],
    ['a time that cannot be stored', job('timeout: 1e300'), '1e+300 is not a duration'],
    ['a number of seconds that cannot be stored', job('deadline: 1e13'), '10000000000000 is not a duration'],
    [
      'a signal that does not exist',
      `failure_handlers: [{name: h, rules: [{signals: [SIGFOO]}]}]\n${job('failure_handler: h')}`,
      '"SIGFOO" is not a signal',
    ],
    [
      'ports that would be the same variable',
      job('ports: [http, HTTP]'),
      'two of the names would be the same variable',
    ],
    ['a version that does not exist', 'version: "9"\nsteps: {a: {exec: x}}\n', 'expected "1.0" or "2.0"'],
    [
      'an impossible name for an environment variable',
      job('env: { "A=B": x }'),
      'is not a name for an environment variable',
    ],
  ])('%s', (_, text, expected) => {
    expect(messagesOf(text).join('\n')).toContain(expected);
  });

  it('in code point into the code', () => {
    const text = `steps:
  a:
    exec: echo
  b:
    exec: echo
    on_fail:
      goto_js: |
        // two lines
        return 'x
`;
    expect(problemsOf(text)).toMatchObject([{ line: 9, column: 16, path: 'steps.b.on_fail.goto_js' }]);
  });

  it('in templates point into the template', () => {
    const text = `variables: { v: 1 }
steps:
  a:
    exec: |
      cat <<EOF
      {{ variables.v }}
      EOF
  b:
    exec: "echo {{ variables.v | nope }}"
`;
    expect(problemsOf(text)).toMatchObject([
      { line: 6, path: 'steps.a.exec', message: expect.stringContaining('heredoc') },
      { line: 9, column: 17, path: 'steps.b.exec' },
    ]);
  });

  it('of one text are all reported', () => {
    expect(
      messagesOf('jobs: [{name: a, command: "${files.input.x} ${files.input.y} ${variables.z}"}]'),
    ).toHaveLength(3);
  });

  it('with a wildcard of the shell for a dependency show the pattern to write', () => {
    expect(messagesOf('jobs: [{name: a.1, command: x}, {name: b, command: x, depends_on: ["a.*"]}]')).toEqual(
      [
        'flow.yaml:1:68: jobs[1].depends_on[0]: there is no job "a.*", and names are compared as they are; write depends_on_regexes: ["^a\\\\..*$"]',
      ],
    );
    expect(messagesOf('steps: {a1: {exec: x}, b: {exec: x, depends_on: ["a?"]}}')).toEqual([
      'flow.yaml:1:50: steps.b.depends_on[0]: there is no step "a?"; steps are named one by one',
    ]);
  });

  it('that every expansion of a sweep repeats are reported once', () => {
    const text = 'jobs: [{name: "a{i}", command: x, depends_on: ["b{i}"], parameters: {i: "1:100"}}]\n';
    expect(messagesOf(text)).toEqual([
      'flow.yaml:1:48: jobs[0].depends_on[0]: there is no job "b1"; did you mean "a1"?',
    ]);
  });
});
