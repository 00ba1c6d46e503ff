import { describe, expect, it } from 'vitest';
import { findMissingInputs } from '../../src/core/model/missing-inputs.ts';
import { overrideRouting } from '../../src/core/policy/routing-overrides.ts';
import { modelOf } from './spec-text.ts';

const given = (jobs: string) =>
  modelOf(`jobs:\n${jobs}`).jobs.flatMap(({ name, config }) =>
    config.given_files.map((path) => `${name} ${path}`),
  );

describe('inputs that must exist before a run', () => {
  it.each<[string, string, string[]]>([
    ['are those that no job writes', '  - { name: a, command: x, input_files: [./in.csv] }', ['a in.csv']],
    [
      'are not those that a job writes, however the path is spelled',
      '  - { name: a, command: x, output_files: [out//x] }\n  - { name: b, command: x, input_files: [./out/x] }',
      [],
    ],
    [
      'are not those that a job in another directory writes',
      '  - { name: a, command: x, cwd: sub, output_files: [./x] }\n  - { name: b, command: x, input_files: [sub/x] }',
      [],
    ],
    [
      'are not directories in which a job writes',
      '  - { name: a, command: x, output_files: [out/deep/x] }\n  - { name: b, command: x, input_files: [./out] }',
      [],
    ],
    [
      'are not files in a directory that a job writes',
      '  - { name: a, command: x, output_files: [out/] }\n  - { name: b, command: x, input_files: [out/x, outside/x] }',
      ['b outside/x'],
    ],
    [
      'are not those that the job itself writes',
      '  - { name: a, command: x, input_files: [./x], output_files: [./x] }',
      [],
    ],
  ])('%s', (_, jobs, expected) => {
    expect(given(jobs)).toEqual(expected);
  });

  it('are named with their job, each place looked at once', () => {
    const model = modelOf(`
files: [{ name: raw, path: data/raw.csv }]
jobs:
  - { name: "a{i}", command: "cat \${files.input.raw}", parameters: { i: "1:2" } }
  - { name: b, command: x, cwd: sub, input_files: [./x, /abs/y, ./there] }
`);
    const asked: string[] = [];
    const error = findMissingInputs(model, (path, directory) => {
      asked.push(`${directory} ${path}`);
      return path === 'there';
    });
    expect(error).toMatchObject({ code: 'MISSING_INPUT', exitCode: 2 });
    expect(error!.message).toBe(
      [
        'jobs a1, a2: the input data/raw.csv does not exist, and no job writes it',
        'job b: the input x in sub does not exist, and no job writes it',
        'job b: the input /abs/y does not exist, and no job writes it',
      ].join('\n'),
    );
    expect(asked).toEqual(['null data/raw.csv', 'sub x', 'sub /abs/y', 'sub there']);
    expect(findMissingInputs(model, () => true)).toBeUndefined();
  });

  it('are counted where there are many', () => {
    const model = modelOf(
      'jobs: [{ name: "a{i}", command: x, input_files: ["in/{i}"], parameters: { i: "1:30" } }]',
    );
    expect(
      findMissingInputs(model, () => false)!
        .message.split('\n')
        .at(-1),
    ).toBe('and 10 more');
  });

  it('are none where the run ignores them', () => {
    const model = modelOf('jobs: [{ name: a, command: x, input_files: [./in.csv] }]');
    const forced = overrideRouting(model, { ignore_missing_inputs: true });
    expect(findMissingInputs(forced, () => false)).toBeUndefined();
    expect(forced.jobs[0]!.config).toEqual({ ...model.jobs[0]!.config, given_files: [] });
  });
});
