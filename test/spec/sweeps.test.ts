import { describe, expect, it } from 'vitest';
import { parameterValues } from '../../src/spec/sweep/parameter-values.ts';
import { fillPlaceholders } from '../../src/spec/sweep/placeholders.ts';
import { dependenciesOf, jobNamed, modelOf } from './spec-text.ts';

const names = (text: string) => modelOf(text).jobs.map((job) => job.name);

describe('values of a sweep', () => {
  it.each<[string | (string | number)[], unknown[]]>([
    ['1:4', [1, 2, 3, 4]],
    ['1:10:2', [1, 3, 5, 7, 9]],
    ['3:1:-1', [3, 2, 1]],
    ['0:1:0.1', [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]],
    ['0.05:0.2:0.05', [0.05, 0.1, 0.15, 0.2]],
    ['[a, b]', ['a', 'b']],
    ['[1, 007, "x y", 2.50]', [1, '007', 'x y', '2.50']],
    ["[1,'a,b']", [1, 'a,b']],
    ['["a, \'b\'", it\'s, "7"]', ["a, 'b'", "it's", '7']],
    [
      ['a', 1],
      ['a', 1],
    ],
  ])('%j', (written, values) => {
    expect(parameterValues(written)).toEqual({ values });
  });
});

it('a quote in a list of values that is not closed is an error', () => {
  expect(parameterValues("[a, 'b,c]")).toEqual({ error: "the list has a ' that is not closed" });
});

describe('placeholders', () => {
  it.each<[string, string]>([
    ['{i}', '7'],
    ['{i:03d}', '007'],
    ['{x:.2f}', '0.50'],
    ['{x:08.3f}', '0000.500'],
    ['{x:.1e}', '5.0e-1'],
    ['{s:5s}|', '    a|'],
    ['{n:04d}', '-003'],
    ['{other} {a,b} awk {print}', '{other} {a,b} awk {print}'],
    ['${i} is the shell’s, {i} is ours', '${i} is the shell’s, 7 is ours'],
  ])('%s', (text, filled) => {
    expect(fillPlaceholders(text, { i: 7, x: 0.5, s: 'a', n: -3 })).toBe(filled);
  });
});

describe('a sweep', () => {
  it('makes every combination, the first parameter slowest', () => {
    expect(names('jobs: [{name: "{a}{b}", command: x, parameters: {a: "[x,y]", b: "1:2"}}]')).toEqual([
      'x1',
      'x2',
      'y1',
      'y2',
    ]);
  });

  it('in zip mode goes through its parameters in step', () => {
    expect(
      names('jobs: [{name: "{a}{b}", command: x, parameter_mode: zip, parameters: {a: "[x,y]", b: "1:2"}}]'),
    ).toEqual(['x1', 'y2']);
  });

  it('uses shared parameters before its own', () => {
    expect(
      names(
        'parameters: {i: "1:2"}\njobs: [{name: "{i}{j}", command: x, use_parameters: [i], parameters: {j: [a, b]}}]',
      ),
    ).toEqual(['1a', '1b', '2a', '2b']);
  });

  it('fills in every text of a job', () => {
    const model = modelOf(`
limits: { gpu_1: 4, gpu_2: 4 }
resource_requirements: [{ name: r1, num_cpus: 1 }, { name: r2, num_cpus: 2 }]
files: [{ name: "f{i}", path: "out/{i:02d}.txt", parameters: { i: "1:2" } }]
jobs:
  - name: j{i}
    command: "make {i} > \${files.output.f{i}}"
    env: { SEED: "{i}" }
    cwd: dir{i}
    labels: ["l{i}"]
    resource_requirements: r{i}
    resources: { "gpu_{i}": "{i}" }
    parameters: { i: "1:2" }
`);
    expect(jobNamed(model, 'j2')).toMatchObject({
      config: {
        command: 'make 2 > out/02.txt',
        env: { SEED: '2' },
        cwd: 'dir2',
        output_files: ['out/02.txt'],
      },
    });
    expect(model.requirements[jobNamed(model, 'j2').requirement]).toMatchObject({
      name: 'r2',
      cpus: 2,
      resources: { gpu_2: 2 },
      labels: ['l2'],
    });
  });

  it('collapses expansions of equal name into one job with the union of dependencies', () => {
    const model = modelOf(`jobs:
  - { name: "w{i}", command: x, output_files: ["./o{i}"], parameters: { i: "1:3" } }
  - { name: gather, command: y, depends_on: ["w{i}"], input_files: ["./o{i}"], parameters: { i: "1:3" } }
`);
    expect(model.jobs.map((job) => job.name)).toEqual(['w1', 'w2', 'w3', 'gather']);
    expect(dependenciesOf(model, 'gather')).toEqual(['w1', 'w2', 'w3']);
    expect(jobNamed(model, 'gather').config.input_files).toEqual(['o1', 'o2', 'o3']);
  });
});
