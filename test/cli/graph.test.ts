import { describe, expect, test } from 'vitest';
import { planView } from '../../src/cli/texts/spec/plan-text.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { drawGraph } from '../../src/views/graph/drawn-graph.ts';
import { GRAPH_FORMATS } from '../../src/views/graph/graph-formats.ts';
import { graphOfModel, type JobGraph } from '../../src/views/graph/job-graph.ts';
import { jobWaves } from '../../src/views/graph/job-waves.ts';
import { planOfModel } from '../../src/views/graph/plan.ts';
import { quiet, table } from './printed.ts';
import { textStyle } from './records.ts';

function model(spec: object): WorkflowModel {
  const loaded = loadSpec(JSON.stringify(spec), 'spec.json');
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.model;
}

const small = model({
  name: 'demo',
  files: [{ name: 'data', path: 'data.csv' }],
  jobs: [
    { name: 'report', command: 'true', depends_on_regexes: ['train_.'] },
    { name: 'prepare', command: 'true', output_files: ['data'] },
    { name: 'train_{i}', command: 'true', input_files: ['data'], parameters: { i: '1:2' } },
    { name: 'notify', command: 'true', depends_on: ['report'] },
  ],
});

/** Stages of `width` jobs, each stage waiting for all of the one before. */
function staged(stages: number, width: number): WorkflowModel {
  return model({
    name: 'staged',
    jobs: Array.from({ length: stages }, (_, stage) => ({
      name: `${'abcdefgh'[stage]}_{i}`,
      command: 'true',
      parameters: { i: `1:${width}` },
      ...(stage > 0 && { depends_on_regexes: [`${'abcdefgh'[stage - 1]}_.*`] }),
    })),
  });
}

describe('a plan', () => {
  test('puts each job into the wave after its last dependency and says why it waits', () => {
    expect(table(planView, { plan: planOfModel(small), all: false }).split('\n')).toEqual([
      'workflow demo: 5 jobs in 4 waves',
      '',
      'wave 1: 1 job, starts at once',
      '  prepare',
      '',
      'wave 2: 2 jobs, after wave 1',
      expect.stringMatching(/^ {2}train_1 {2}after prepare \(file data(\.csv)?\)$/),
      expect.stringMatching(/^ {2}train_2 {2}after prepare \(file data(\.csv)?\)$/),
      '',
      'wave 3: 1 job, after wave 2',
      '  report  after train_1, train_2 (depends_on_regexes train_.)',
      '',
      'wave 4: 1 job, after wave 3',
      '  notify  after report (depends_on)',
    ]);
  });

  test('continues a long line below it, so that no reason is lost', () => {
    const text = table(planView, { plan: planOfModel(small), all: false }, textStyle({ width: 40 }));
    expect(text).toContain('  report  after train_1, train_2\n    (depends_on_regexes train_.)\n');
  });

  test('draws jobs that look alike as one where there are many', () => {
    const text = table(planView, { plan: planOfModel(staged(3, 200)), all: false });
    expect(text.split('\n')).toEqual([
      'workflow staged: 600 jobs in 3 waves',
      '',
      'wave 1: 200 jobs, starts at once',
      '  a_* (200 jobs)',
      '',
      'wave 2: 200 jobs, after wave 1',
      '  b_* (200 jobs)  after a_* (depends_on_regexes a_.*)',
      '',
      'wave 3: 200 jobs, after wave 2',
      '  c_* (200 jobs)  after b_* (depends_on_regexes b_.*)',
    ]);
    expect(table(planView, { plan: planOfModel(staged(3, 200)), all: true })).toContain(
      '\n  c_199  after b_1, b_2, b_3, b_4, b_5 and 195 more',
    );
  });

  test('leaves out the later waves of a long chain and says how to see them', () => {
    const chain = model({
      name: 'chain',
      jobs: Array.from({ length: 100 }, (_, index) => ({
        name: `s${index}`,
        command: 'true',
        ...(index > 0 && { depends_on: [`s${index - 1}`] }),
      })),
    });
    const lines = table(planView, { plan: planOfModel(chain), all: false }).split('\n');
    expect(lines.at(-1)).toBe('and 70 more waves; --all shows everything');
    expect(lines.filter((line) => line.startsWith('wave '))).toHaveLength(30);
  });

  test('lists names in the order of execution when quiet', () => {
    expect(quiet(planView, { plan: planOfModel(small), all: false })).toBe(
      'prepare\ntrain_1\ntrain_2\nreport\nnotify',
    );
  });
});

const routed = model({
  name: 'routed',
  steps: {
    setup: { exec: 'x', depends_on: [] },
    list: { exec: 'x', depends_on: 'setup', forEach: true, on_fail: { goto: 'setup', run: ['fix'] } },
    a: { exec: 'x', depends_on: 'list' },
    b: { exec: 'x', depends_on: 'list' },
    c: { exec: 'x', depends_on: 'a|b', on_success: { run: 'fix' } },
    join: { exec: 'x', depends_on: 'c', fanout: 'reduce' },
    fix: { exec: 'x', depends_on: 'setup' },
  },
});

describe('routes and items', () => {
  test('in a plan stand outside of the waves, or with their scope', () => {
    const plan = planOfModel(routed);
    expect(plan.jobs).toBe(6);
    expect(plan.waves.map((wave) => wave.map((job) => [job.name, job.waits_for]))).toEqual([
      [['setup', []]],
      [['list', ['setup']]],
      [
        ['a@list[*]', ['list']],
        ['b@list[*]', ['list']],
      ],
      [['c@list[*]', ['a@list[*]|b@list[*]']]],
      [['join', ['list', 'c@list[*]']]],
    ]);
    expect(plan.on_call).toEqual([{ name: 'fix', called_by: ['list', 'c@list[*]'] }]);
  });

  test('in text are shown with the job they belong to', () => {
    expect(GRAPH_FORMATS.text(drawGraph(graphOfModel(routed), false))).toEqual([
      'routed',
      '  setup',
      '  list <- setup; on_fail run fix; on_fail goto setup',
      '  a@list[*] <- list',
      '  b@list[*] <- list',
      '  c@list[*] <- a@list[*] | b@list[*]; on_success run fix',
      '  join <- list, c@list[*]',
      '  fix (on call) <- setup',
    ]);
  });

  test('in Mermaid and DOT are dashed, and one of several says so', () => {
    const drawn = drawGraph(graphOfModel(routed), false);
    expect(GRAPH_FORMATS.mermaid(drawn)).toEqual(
      expect.arrayContaining([
        '  n2["a@list#91;*#93;"]',
        '  n6["fix (on call)"]',
        '  n2 -->|one of| n4',
        '  n3 -->|one of| n4',
        '  n1 -. on_fail goto .-> n0',
        '  n4 -. on_success run .-> n6',
      ]),
    );
    expect(GRAPH_FORMATS.dot(drawn)).toEqual(
      expect.arrayContaining([
        '  n2 -> n4 [label="one of"];',
        '  n1 -> n0 [style=dashed, constraint=false, label="on_fail goto"];',
      ]),
    );
  });

  test('of a sweep are drawn once', () => {
    const sweep = model({
      name: 'sweep',
      jobs: [
        { name: 'get_{i}', command: 'x', parameters: { i: '1:100' } },
        {
          name: 'use_{i}',
          command: 'x',
          depends_on: ['get_{i}'],
          on_fail: { run: ['fix_{i}'], goto: 'get_{i}' },
          parameters: { i: '1:100' },
        },
        { name: 'fix_{i}', command: 'x', parameters: { i: '1:100' } },
      ],
    });
    expect(GRAPH_FORMATS.text(drawGraph(graphOfModel(sweep), false))).toEqual([
      'sweep',
      '  get_* (100 jobs)',
      '  use_* (100 jobs) <- get_* (100 jobs); on_fail run fix_*; on_fail goto get_*',
      '  fix_* (100 jobs, on call)',
    ]);
  });
});

describe('waves', () => {
  test('do not overflow the stack on a deep chain', () => {
    const size = 50_000;
    const graph: JobGraph = {
      name: 'deep',
      jobs: Array.from({ length: size }, (_, index) => ({
        name: `j${index}`,
        status: null,
        set: index === 0 ? null : index - 1,
      })),
      sets: Array.from({ length: size - 1 }, (_, index) => [index]),
    };
    expect(jobWaves(graph)).toHaveLength(size);
  });
});

describe('a graph', () => {
  test('in text names what each job waits for', () => {
    expect(GRAPH_FORMATS.text(drawGraph(graphOfModel(small), false))).toEqual([
      'demo',
      '  report <- train_1, train_2',
      '  prepare',
      '  train_1 <- prepare',
      '  train_2 <- prepare',
      '  notify <- report',
    ]);
  });

  test('in Mermaid has a node per job and an edge per dependency', () => {
    const lines = GRAPH_FORMATS.mermaid(drawGraph(graphOfModel(small), false));
    expect(lines[0]).toBe('flowchart TD');
    expect(lines).toContain('  n1["prepare"]');
    expect(lines).toContain('  n1 --> n2');
    expect(lines.filter((line) => line.includes('-->'))).toHaveLength(5);
  });

  test('in DOT quotes names and colours jobs by status', () => {
    const graph: JobGraph = {
      name: 'a "b"',
      jobs: [
        { name: 'x"y\\z', status: 'failed', set: null },
        { name: 'w', status: 'canceled', set: 0 },
      ],
      sets: [[0]],
    };
    expect(GRAPH_FORMATS.dot(drawGraph(graph, false))).toEqual([
      'digraph "a \\"b\\"" {',
      '  node [shape=box];',
      '  n0 [label="x\\"y\\\\z", style=filled, fillcolor="#ffcdd2"];',
      '  n1 [label="w", style=filled, fillcolor="#ffe0b2"];',
      '  n0 -> n1;',
      '}',
    ]);
  });

  test('in Mermaid escapes what would end a label, and shows statuses', () => {
    const graph: JobGraph = {
      name: 'g',
      jobs: [{ name: 'a"]; b', status: 'completed', set: null }],
      sets: [],
    };
    expect(GRAPH_FORMATS.mermaid(drawGraph(graph, false))).toEqual([
      'flowchart TD',
      '  n0["a#34;#93;; b"]',
      '  classDef completed fill:#c8e6c9',
      '  class n0 completed',
    ]);
  });

  test('draws a barrier with a junction instead of an edge for each pair', () => {
    const drawn = drawGraph(graphOfModel(staged(2, 40)), false);
    expect(drawn.edges).toHaveLength(80);
    expect(GRAPH_FORMATS.text(drawn)).toHaveLength(81);
  });

  test('of a large workflow draws a sweep as one node, unless all are asked for', () => {
    const graph = graphOfModel(staged(3, 100));
    expect(GRAPH_FORMATS.text(drawGraph(graph, false))).toEqual([
      'staged',
      '  a_* (100 jobs)',
      '  b_* (100 jobs) <- a_* (100 jobs)',
      '  c_* (100 jobs) <- b_* (100 jobs)',
    ]);
    expect(GRAPH_FORMATS.text(drawGraph(graph, true))).toHaveLength(301);
  });
});
