import { describe, expect, it } from 'vitest';
import { dependenciesOf, jobNamed, modelOf } from './spec-text.ts';

describe('dependencies', () => {
  it('come from names, patterns and files, sorted and without repeats', () => {
    const model = modelOf(`
files: [{ name: data, path: data.csv }]
jobs:
  - { name: make, command: "gen > \${files.output.data}" }
  - { name: a1, command: x }
  - { name: a2, command: x }
  - { name: all, command: "use \${files.input.data}", depends_on: [a2, make], depends_on_regexes: ["a.*"] }
`);
    // `a.*` matches `all` itself, which does not wait for itself.
    expect(dependenciesOf(model, 'all')).toEqual(['make', 'a1', 'a2']);
    const all = model.jobs.findIndex((job) => job.name === 'all');
    expect(model.dependencyReasons.filter((reason) => reason.job === all)).toEqual([
      { job: all, kind: 'depends_on', via: 'a2' },
      { job: all, kind: 'depends_on', via: 'make' },
      { job: all, kind: 'depends_on_regexes', via: 'a.*' },
      { job: all, kind: 'file', via: 'data.csv' },
    ]);
  });

  it('by pattern search the name; anchors narrow it', () => {
    const model = modelOf(`jobs:
  - { name: work, command: x }
  - { name: work2, command: x }
  - { name: framework, command: x }
  - { name: end, command: x, depends_on_regexes: work }
  - { name: only, command: x, depends_on_regexes: "^work$" }
`);
    expect(dependenciesOf(model, 'end')).toEqual(['work', 'work2', 'framework']);
    expect(dependenciesOf(model, 'only')).toEqual(['work']);
  });

  it('by patterns of files, user data and actions search too', () => {
    const model = modelOf(`
files: [{ name: part_1, path: out/1 }, { name: part_2, path: out/2 }]
user_data: [{ name: rate_a, data: 1 }, { name: other, data: 1 }]
jobs:
  - { name: work, command: x, output_files_regexes: "_1" }
  - { name: work2, command: x, output_files_regexes: "t_2$" }
  - { name: end, command: x, input_files_regexes: art, input_user_data_regexes: ate }
actions: [{ trigger_type: on_jobs_complete, action_type: run_commands, commands: ["true"], job_name_regexes: ["ork"] }]
`);
    expect(jobNamed(model, 'work').config.output_files).toEqual(['out/1']);
    expect(dependenciesOf(model, 'end')).toEqual(['work', 'work2']);
    expect(jobNamed(model, 'end').config.user_data.inputs).toEqual(['rate_a']);
    expect(model.actions[0]!.jobs).toEqual([0, 1]);
  });

  it('through files follow paths however they are written, and patterns over names', () => {
    const model = modelOf(`
files: [{ name: part_1, path: ./out//1 }, { name: part_2, path: out/2 }]
jobs:
  - { name: a, command: x, output_files: [out/1] }
  - { name: b, command: x, output_files: part_2 }
  - { name: end, command: x, input_files_regexes: ["part_\\\\d"] }
  - { name: first, command: x, input_files: [./out/1, ./given.csv] }
`);
    expect(dependenciesOf(model, 'end')).toEqual(['a', 'b']);
    expect(dependenciesOf(model, 'first')).toEqual(['a']);
    expect(jobNamed(model, 'first').config.input_files).toEqual(['out/1', 'given.csv']);
  });

  it('of a barrier are one set, however it is written', () => {
    const stage = '{ name: "a{i}", command: x, output_files: ["./o{i}"], parameters: { i: "1:300" } }';
    const list = Array.from({ length: 300 }, (_, index) => `a${index + 1}`);
    for (const written of [
      'depends_on_regexes: ["a.*"]',
      `depends_on: [${list.join(', ')}]`,
      `input_files: [${list.map((name) => `./o${name.slice(1)}`).join(', ')}]`,
    ]) {
      const model = modelOf(
        `jobs:\n  - ${stage}\n  - { name: "b{i}", command: x, ${written}, parameters: { i: "1:300" } }\n`,
      );
      expect(model.dependencySets).toEqual([
        { members: Array.from({ length: 300 }, (_, index) => index), joined: [], producers: [], anyOf: [] },
      ]);
      expect(dependenciesOf(model, 'b300')).toEqual(list);
      expect(model.dependencyReasons.filter((reason) => reason.job === 599)).toHaveLength(1);
    }
  });

  it('of a wide barrier do not become edges', () => {
    const model = modelOf(`jobs:
  - { name: "a{i}", command: x, parameters: { i: "1:1000" } }
  - { name: "b{i}", command: x, depends_on_regexes: ["a\\\\d+"], parameters: { i: "1:1000" } }
`);
    expect(model.dependencySets).toHaveLength(1);
    expect(model.dependencyReasons).toHaveLength(1000);
  });
});

describe('steps', () => {
  const order = (text: string) => {
    const model = modelOf(text);
    return Object.fromEntries(model.jobs.map((job) => [job.name, dependenciesOf(model, job.name)]));
  };

  it('run in written order where none has depends_on', () => {
    expect(order('steps: {x: {exec: a}, y: {exec: a}, z: {exec: a}}')).toEqual({ x: [], y: ['x'], z: ['y'] });
  });

  it('run as the graph says where one has depends_on, or with order: graph', () => {
    expect(order('steps: {x: {exec: a}, y: {exec: a, depends_on: x}, z: {exec: a}}')).toEqual({
      x: [],
      y: ['x'],
      z: [],
    });
    expect(order('order: graph\nsteps: {x: {exec: a}, y: {exec: a}}')).toEqual({ x: [], y: [] });
  });

  it('that are on call are no part of the written order', () => {
    expect(
      order(
        'steps: {x: {exec: a, on_fail: {run: [fix]}}, fix: {exec: a}, y: {exec: a}, help: {exec: a, on_call: true}}',
      ),
    ).toEqual({ x: [], fix: [], y: ['x'], help: [] });
  });

  it('that are called but also planned stay in it', () => {
    expect(order('steps: {x: {exec: a, on_fail: {run: fix}}, fix: {exec: a, on_call: false}}')).toEqual({
      x: [],
      fix: ['x'],
    });
  });

  it('take the order of the configuration unless they say their own', () => {
    const model = modelOf('steps: {x: {exec: a}, y: {exec: a}}', { order: 'graph' });
    expect(model.dependencySets).toEqual([]);
  });
});
