import { describe, expect, test } from 'vitest';
import { workflowSimulationView } from '../../src/cli/texts/spec/workflow-simulation-text.ts';
import { jobLabel } from '../../src/core/job/job-label.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { GivenCourse } from '../../src/simulate/given-course.ts';
import { simulateWorkflow, type WorkflowSimulation } from '../../src/simulate/simulate-workflow.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { textStyle } from './records.ts';

function modelOf(spec: string): WorkflowModel {
  const loaded = loadSpec(spec, 'spec.yaml');
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.model;
}

function courseOf(spec: string, outcomes: string[], outputs: string[] = []): GivenCourse {
  return new GivenCourse(modelOf(spec), { outcomes, outputs }, 60_000);
}

function played(spec: string, outcomes: string[] = [], outputs: string[] = []): Promise<WorkflowSimulation> {
  return simulateWorkflow(modelOf(spec), courseOf(spec, outcomes, outputs));
}

const order = ({ executions }: WorkflowSimulation) =>
  executions
    .filter(({ started }) => started)
    .map(({ step, scope }) => jobLabel({ name: step, scope }))
    .join(' ');

const LOOP = `
routing: { max_loops: 3 }
steps:
  a: { exec: x }
  b: { exec: x, depends_on: [a], on_fail: { run: [fix], goto: a } }
  fix: { exec: x }
`;
const ITEMS = `
steps:
  list: { exec: x, forEach: true }
  p: { exec: x, depends_on: [list], on_fail: { retry: { max: 1 } } }
  join: { exec: x, depends_on: [p], fanout: reduce }
`;

describe('a simulated workflow', () => {
  test('takes routes as a run would, in order, and ends with the exit code of one', async () => {
    const simulation = await played(LOOP, ['b=1,1,1,1,1']);
    expect(order(simulation)).toBe('a b fix b a b fix b');
    expect(simulation).toMatchObject({ end: 'complete', exit_code: 1, unused: ['b=1'] });
    expect(simulation.trace.map(({ route }) => route)).toEqual([
      'retry',
      'remediation',
      'goto',
      'retry',
      'remediation',
      'loop_abort',
    ]);
  });

  test('succeeds without outcomes, and after the last one', async () => {
    const simulation = await played(LOOP, ['b=1']);
    expect(order(simulation)).toBe('a b fix b');
    expect(simulation).toMatchObject({ exit_code: 0, unused: [] });
    expect(order(await played(LOOP))).toBe('a b');
  });

  test('runs on a clock that jumps over waits and over how long things take', async () => {
    const spec = `
steps:
  slow: { exec: x, timeout: 90000, on_fail: { retry: { max: 2, backoff: { mode: exponential, delay_ms: 8000 } } } }
`;
    const { executions, ends_at_ms } = await played(spec, ['slow=timeout,1,0']);
    expect(executions.map(({ starts_at_ms, ends_at_ms: end }) => [starts_at_ms, end])).toEqual([
      [0, 90_000],
      [98_000, 158_000],
      [174_000, 234_000],
    ]);
    expect(ends_at_ms).toBe(234_000);
  });

  test('evaluates code for real, with the given stderr and step output', async () => {
    const spec = `
steps:
  a: { exec: x }
  b:
    exec: x
    depends_on: [a]
    on_fail: { goto_js: "return error.stderr.includes('module') ? 'a' : null" }
  c: { exec: x, depends_on: [b], if: "outputs.b.deploy" }
  d: { exec: x, depends_on: [b], fail_if: "output.errors > 0" }
`;
    const simulation = await played(spec, ['b=1:no module x'], ['b={"deploy":false}', 'd={"errors":2}']);
    expect(order(simulation)).toBe('a b a b d');
    expect(Object.fromEntries(simulation.jobs.map(({ step, status }) => [step, status]))).toMatchObject({
      b: 'completed',
      c: 'disabled',
      d: 'failed',
    });
  });

  test('gives every item the outcomes from the beginning, or one item its own', async () => {
    const each = await played(ITEMS, ['p=1,0'], ['list=["x","y"]']);
    expect(order(each)).toBe('list p@list[0] p@list[1] p@list[0] p@list[1] join');
    const one = await played(ITEMS, ['p@list[1]=1,1,1', 'p=0'], ['list=["x","y"]']);
    expect(order(one)).toBe('list p@list[0] p@list[1] p@list[1] join');
    expect(one).toMatchObject({ exit_code: 1, unused: ['p@list[1]=1'] });
    expect(order(await played(ITEMS, [], ['list=[]']))).toBe('list join');
  });

  test('hears post scripts and failure handlers, whose scripts take no time', async () => {
    const spec = `
failure_handlers: [{ name: h, rules: [{ exit_codes: [10], recovery_script: fix.sh, max_retries: 2 }] }]
jobs:
  - { name: a, command: x, failure_handler: h }
  - { name: b, command: x, depends_on: [a], post: judge.sh }
`;
    const simulation = await played(spec, ['a=10,0', 'b=1/0']);
    expect(order(simulation)).toBe('a a b');
    expect(simulation).toMatchObject({ exit_code: 0, ends_at_ms: 180_000 });
  });

  test('waits for nobody: a decision is its end', async () => {
    const spec = 'use_pending_failed: true\njobs: [{ name: a, command: x }]';
    expect(await played(spec, ['a=1'])).toMatchObject({ end: 'waiting', exit_code: 3 });
  });

  test('ends an endless loop', async () => {
    const spec = `
routing: { max_loops: 1000000 }
steps:
  a: { exec: x }
  b: { exec: x, depends_on: [a], on_success: { goto: a } }
`;
    const course = Object.assign(courseOf(spec, []), { maxExecutions: 50 });
    const simulation = await simulateWorkflow(modelOf(spec), course);
    expect(simulation).toMatchObject({ end: 'endless', exit_code: null });
    expect(simulation.executions).toHaveLength(50);
    expect(workflowSimulationView.table(simulation, textStyle()).join('\n')).toMatch(
      /\nstopped after 50 executions, .*: more would follow; max_loops bounds how often routes are taken/,
    );
  });
});

describe('what is printed of a course', () => {
  test.each([
    [['bb=1'], [], '--outcome: the spec has no step bb'],
    [['fixx=1'], [], 'the spec has no step fixx; did you mean "fix"?'],
    [['b'], [], '--outcome: b: write unit=1,0'],
    [['b=boom'], [], '--outcome b: boom is no outcome'],
    [['b@list[0]=1'], [], 'there is no b@list[0]: b is in no forEach'],
    [[], ['a=nothing'], '--step-output a: must be JSON; '],
  ])('is refused where it makes no sense: %j %j', (outcomes, outputs, message) => {
    expect(() => courseOf(LOOP, outcomes, outputs)).toThrow(message);
  });

  test('must have a list for a step with forEach, and labels that can exist', () => {
    expect(() => courseOf(ITEMS, [])).toThrow(
      `--step-output: is needed for list, which has forEach, such as 'list=["a","b"]'`,
    );
    expect(() => courseOf(ITEMS, [], ['list={}'])).toThrow('must be a JSON list');
    expect(() => courseOf(ITEMS, ['p@other[0]=1'], ['list=[]'])).toThrow(
      'there is no p@other[0]: p is in list[*]',
    );
  });

  test('cannot have outputs of jobs, which have none', () => {
    const spec = 'jobs: [{ name: a, command: x }]';
    expect(() => courseOf(spec, [], ['a=1'])).toThrow('only steps have an output');
  });
});
