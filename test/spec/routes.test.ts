import { describe, expect, it } from 'vitest';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { formatProblem } from '../../src/spec/problem.ts';
import { jobNamed, modelOf, warningsOf } from './spec-text.ts';

const onFail = (text: string, name: string) => jobNamed(modelOf(text), name).config.on_fail;
const NOTHING = { run: [], run_js: null, goto: null, goto_js: null };
const FIXED = { max: 0, mode: 'fixed', delay_ms: 2000 };

describe('routes of a step', () => {
  it('reach the model with their defaults filled in', () => {
    const model = modelOf(`
steps:
  a: { exec: x }
  b:
    exec: x
    on_fail: { retry: { max: 2, backoff: { mode: exponential, delay_ms: 50 } }, run: [fix, fix2, fix], run_js: "[]", goto: a, goto_js: "null" }
    on_success: { run: fix2, goto_js: "false" }
  fix: { exec: x }
  fix2: { exec: x }
`);
    expect(jobNamed(model, 'b').config).toMatchObject({
      on_fail: {
        reattempt: { max: 2, mode: 'exponential', delay_ms: 50 },
        run: ['fix', 'fix2'],
        run_js: '[]',
        goto: 'a',
        goto_js: 'null',
      },
      on_success: { run: ['fix2'], run_js: null, goto: null, goto_js: 'false' },
    });
    expect(model.jobs.map(({ name, config }) => [name, config.on_call])).toEqual([
      ['a', false],
      ['b', false],
      ['fix', true],
      ['fix2', true],
    ]);
  });

  it.each<[string, unknown]>([
    ['{}', null],
    ['none', null],
    ['{ retry: { max: 0 } }', null],
    ['{ run: [] }', null],
    ['{ retry: {} , run: fix }', { ...NOTHING, reattempt: FIXED, run: ['fix'] }],
    ['{ retry: { max: 1 } }', { ...NOTHING, reattempt: { ...FIXED, max: 1 } }],
    ['{ goto_js: "null" }', { ...NOTHING, reattempt: FIXED, goto_js: 'null' }],
  ])('on_fail: %s', (written, expected) => {
    expect(
      onFail(`steps: { a: { exec: x, on_fail: ${written} }, fix: { exec: x, on_call: true } }`, 'a'),
    ).toEqual(expected);
  });

  it('that lead nowhere on success are none', () => {
    expect(jobNamed(modelOf('steps: {a: {exec: x, on_success: {}}}'), 'a').config.on_success).toBeNull();
  });

  it('come with its conditions', () => {
    const model = modelOf(
      'steps: {a: {exec: x, if: "1 > 0", fail_if: "!output", continue_on_failure: true}, b: {exec: x}}',
    );
    expect(jobNamed(model, 'a').config).toMatchObject({
      condition: '1 > 0',
      fail_if: '!output',
      continue_on_failure: true,
    });
    expect(jobNamed(model, 'b').config).toMatchObject({
      condition: null,
      fail_if: null,
      continue_on_failure: false,
    });
  });

  it('and the settings of routing reach the model', () => {
    expect(modelOf('routing: {max_loops: 0, env: [HOME]}\nsteps: {a: {exec: x}}').routing).toEqual({
      maxLoops: 0,
      env: ['HOME'],
      context: { pr: null, files: null },
    });
  });
});

describe('routes of a job', () => {
  it('name the expansions of a sweep', () => {
    const model = modelOf(`
variables: { kind: fix }
jobs:
  - { name: "get_{i}", command: x, parameters: { i: "1:2" } }
  - name: "use_{i}"
    command: x
    depends_on: ["get_{i}"]
    on_fail: { run: ["\${variables.kind}_{i:02d}"], goto: "get_{i}", retry: { max: 3 } }
    parameters: { i: "1:2" }
  - { name: "fix_{i:02d}", command: x, parameters: { i: "1:2" } }
`);
    expect(jobNamed(model, 'use_2').config.on_fail).toEqual({
      ...NOTHING,
      reattempt: { ...FIXED, max: 3 },
      run: ['fix_02'],
      goto: 'get_2',
    });
    expect(jobNamed(model, 'fix_01').config.on_call).toBe(true);
  });

  it('must be equal in expansions that are one job', () => {
    const result = loadSpec(
      'jobs: [{name: a, command: x, on_fail: {run: "f{i}"}, parameters: {i: "1:2"}}, {name: f1, command: x}, {name: f2, command: x}]',
      'flow.yaml',
    );
    expect(result.ok || result.problems.map(({ message }) => message)).toEqual([
      'several expansions are named "a", but differ in their routes; put a parameter into the name',
    ]);
  });
});

describe('routing.defaults', () => {
  const spec = (steps: string, defaults: string) =>
    `routing: { defaults: { on_fail: ${defaults} } }\nsteps:\n${steps}`;

  it('reach every step, and a key of a step replaces the whole key', () => {
    const text = spec(
      `  a: { exec: x }
  b: { exec: x, on_fail: { retry: { max: 5 } } }
  c: { exec: x, on_fail: { run: [] } }
  d: { exec: x, on_fail: none }
  fix: { exec: x }
`,
      '{ retry: { max: 1, backoff: { mode: exponential, delay_ms: 9 } }, run: fix, goto_js: "null" }',
    );
    const byDefault = {
      ...NOTHING,
      reattempt: { max: 1, mode: 'exponential', delay_ms: 9 },
      run: ['fix'],
      goto_js: 'null',
    };
    expect(onFail(text, 'a')).toEqual(byDefault);
    expect(onFail(text, 'b')).toEqual({ ...byDefault, reattempt: { ...FIXED, max: 5 } });
    expect(onFail(text, 'c')).toEqual({ ...byDefault, run: [] });
    expect(onFail(text, 'd')).toBeNull();
  });

  it('reach jobs too', () => {
    const text =
      'routing: {defaults: {on_fail: {retry: {max: 2}}}}\njobs: [{name: "a{i}", command: x, parameters: {i: "1:2"}}]';
    expect(onFail(text, 'a2')).toEqual({ ...NOTHING, reattempt: { ...FIXED, max: 2 } });
  });

  it('do not add their retry to a step that has `retry`', () => {
    const text = spec(
      '  a: { exec: x, retry: { max_retries_failure: 4 } }\n  b: { exec: x }\n',
      '{ retry: { max: 1 } }',
    );
    expect(onFail(text, 'a')).toBeNull();
    expect(onFail(text, 'b')).toEqual({ ...NOTHING, reattempt: { ...FIXED, max: 1 } });
  });

  it('let no step remediate itself, nor what remediates it', () => {
    const text = spec(
      `  a: { exec: x }
  fix: { exec: x, on_fail: { retry: { max: 2 }, run: [deeper] } }
  fix2: { exec: x }
  deeper: { exec: x }
  other: { exec: x, on_call: true }
`,
      '{ run: [fix, fix2] }',
    );
    expect(onFail(text, 'a')).toMatchObject({ run: ['fix', 'fix2'] });
    expect(onFail(text, 'fix')).toMatchObject({ run: ['deeper'] });
    expect(onFail(text, 'fix2')).toBeNull();
    expect(onFail(text, 'deeper')).toBeNull();
    expect(onFail(text, 'other')).toMatchObject({ run: ['fix', 'fix2'] });
  });

  it('jump only where the target comes before, in the same scope', () => {
    const text = spec(
      `  first: { exec: x }
  list: { exec: x, forEach: true }
  p: { exec: x }
  join: { exec: x, fanout: reduce }
  fix: { exec: x, on_call: true }
`,
      '{ goto: first }',
    );
    const model = modelOf(text);
    expect(model.jobs.map(({ name, config }) => [name, config.on_fail?.goto ?? null])).toEqual([
      ['first', null],
      ['list', 'first'],
      ['p', null],
      ['join', 'first'],
      ['fix', null],
    ]);
  });

  it('run a planned step only from its own scope', () => {
    const text = spec(
      `  prepare: { exec: x, on_call: false }
  list: { exec: x, forEach: true }
  p: { exec: x }
`,
      '{ run: prepare }',
    );
    expect(onFail(text, 'list')).toMatchObject({ run: ['prepare'] });
    expect(onFail(text, 'p')).toBeNull();
  });
});

describe('a backoff that nothing waits for is reported', () => {
  const warnings = (onFail: string, more = '') =>
    warningsOf(
      `${more}jobs: [{name: "a{i}", command: x, parameters: {i: "1:2"}, on_fail: ${onFail}}, {name: fix, command: x, on_call: false}]`,
    );

  it('where there is no re-attempt', () => {
    expect(warnings('{retry: {backoff: {delay_ms: 5}}}')).toEqual([
      'flow.yaml:1:86: jobs[0].on_fail.retry.backoff: has no effect: there is no re-attempt without `max`, unless `run` names steps',
    ]);
  });

  it.each<[string, string?]>([
    ['{retry: {max: 1, backoff: {delay_ms: 5}}}'],
    ['{retry: {max: 0, backoff: {delay_ms: 5}}}'],
    ['{run: fix, retry: {backoff: {delay_ms: 5}}}'],
    ['{run_js: "[]", retry: {backoff: {delay_ms: 5}}}'],
    ['{retry: {backoff: {delay_ms: 5}}}', 'routing: {defaults: {on_fail: {run: fix}}}\n'],
  ])('but not with %s', (onFail, more) => {
    expect(warnings(onFail, more)).toEqual([]);
  });
});

describe('a step on call', () => {
  it('keeps its dependencies, and is reported where nothing can call it', () => {
    const text = 'steps: {a: {exec: x}, help: {exec: x, on_call: true, depends_on: a}}';
    const result = loadSpec(text, 'flow.yaml');
    expect(result.ok && result.warnings.map(formatProblem)).toEqual([
      'flow.yaml:1:48: steps.help.on_call: nothing runs "help": no `run` names it',
    ]);
    expect(result.ok && result.model.jobs[1]).toMatchObject({ dependencySet: 0, config: { on_call: true } });
  });

  it('may be called by code that nobody can foresee', () => {
    const text = 'steps: {a: {exec: x, on_fail: {run_js: "[]"}}, help: {exec: x, on_call: true}}';
    expect(loadSpec(text, 'flow.yaml')).toMatchObject({ ok: true, warnings: [] });
  });
});
