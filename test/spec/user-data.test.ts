import { describe, expect, it } from 'vitest';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { bindUserData } from '../../src/spec/template/user-data-placeholders.ts';
import { dependenciesOf, jobNamed, messagesOf, modelOf } from './spec-text.ts';

const VALUES = 'user_data: [{ name: m, data: 1 }, { name: n }]\n';

function warningsOf(text: string): string[] {
  const result = loadSpec(text, 'flow.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('user data', () => {
  it('is kept with its first value, none unless given', () => {
    const text = `user_data:
  - { name: config, data: { steps: [1, 2], note: "{i}" } }
  - { name: empty, is_ephemeral: true }
  - { name: "seed_{i}", data: { label: "run {i}", of: ["{i:02d}"] }, parameters: { i: "1:2" } }
jobs: [{ name: a, command: x }]
`;
    expect(modelOf(text).userData).toEqual([
      { name: 'config', data: { steps: [1, 2], note: '{i}' }, isEphemeral: false },
      { name: 'empty', data: null, isEphemeral: true },
      { name: 'seed_1', data: { label: 'run 1', of: ['01'] }, isEphemeral: false },
      { name: 'seed_2', data: { label: 'run 2', of: ['02'] }, isEphemeral: false },
    ]);
  });

  it('makes what reads a value run after what sets it, however both are written', () => {
    const model = modelOf(`user_data: [{ name: part_1 }, { name: part_2 }, { name: given, data: 1 }]
jobs:
  - { name: a, command: x, output_user_data: part_1 }
  - { name: b, command: "gen > \${user_data.output.part_2}" }
  - { name: listed, command: x, input_user_data: [part_1, given] }
  - { name: used, command: "use \${user_data.input.part_2} \${user_data.input.part_2}" }
  - { name: all, command: x, input_user_data_regexes: ["part_\\\\d"] }
  - { name: alone, command: "use \${user_data.input.given}" }
`);
    const waits = Object.fromEntries(model.jobs.map(({ name }) => [name, dependenciesOf(model, name)]));
    expect(waits).toEqual({ a: [], b: [], listed: ['a'], used: ['b'], all: ['a', 'b'], alone: [] });
    expect(model.dependencyReasons.filter(({ job }) => job === 4)).toEqual([
      { job: 4, kind: 'user_data', via: 'part_1' },
      { job: 4, kind: 'user_data', via: 'part_2' },
    ]);
    expect(jobNamed(model, 'b').config.user_data).toMatchObject({ inputs: [], outputs: ['part_2'] });
    expect(jobNamed(model, 'used').config).toMatchObject({
      command: 'use ${user_data.input.part_2} ${user_data.input.part_2}',
      user_data: { inputs: ['part_2'], outputs: [], optional: [] },
    });
  });

  it('may be read and set by one job, which does not wait for itself', () => {
    const model = modelOf(
      `${VALUES}jobs: [{ name: a, command: "x \${user_data.input.m} > \${user_data.output.m}" }]`,
    );
    expect(dependenciesOf(model, 'a')).toEqual([]);
    expect(jobNamed(model, 'a').config.user_data).toMatchObject({ inputs: ['m'], outputs: ['m'] });
  });

  it('is swept with the jobs that use it, and gathered by expansions of one name', () => {
    const model = modelOf(`parameters: { i: "1:3" }
user_data: [{ name: "r_{i}", use_parameters: [i] }]
jobs:
  - { name: "w_{i}", command: "gen > \${user_data.output.r_{i}}", use_parameters: [i] }
  - { name: gather, command: x, input_user_data: ["r_{i}"], use_parameters: [i] }
`);
    expect(dependenciesOf(model, 'gather')).toEqual(['w_1', 'w_2', 'w_3']);
    expect(jobNamed(model, 'gather').config.user_data.inputs).toEqual(['r_1', 'r_2', 'r_3']);
  });

  it('that is read and that nobody gives is doubtful, once for a sweep', () => {
    const sweep = 'user_data: [{ name: "s_{i}", parameters: { i: "1:50" } }]\n';
    expect(
      warningsOf(`${sweep}jobs: [{ name: a, command: x, input_user_data_regexes: "s_.*" }]`),
    ).toHaveLength(1);
    expect(warningsOf(`${VALUES}jobs: [{ name: a, command: x, input_user_data: [m, n] }]`)).toEqual([
      '1:35 "n" is read, but has no `data` and no job sets it',
    ]);
  });
});

describe('a mistake about user data is reported with its place', () => {
  it.each<[string, string, string]>([
    [
      'two producers',
      `${VALUES}jobs:\n  - { name: a, command: x, output_user_data: n }\n  - { name: b, command: x, output_user_data: [n] }\n`,
      '4:47: jobs[1].output_user_data[0]: "n" is also set by "a" (jobs[0]); a value has one producer',
    ],
    [
      'a name that is used twice',
      'user_data: [{ name: m }, { name: m }]\njobs: [{ name: a, command: x }]\n',
      '1:34: user_data[1].name: the name "m" is already used by user_data[0]',
    ],
    [
      'expansions of one name with different data',
      'user_data: [{ name: m, data: "{i}", parameters: { i: "1:2" } }]\njobs: [{ name: a, command: x }]\n',
      'several expansions are named "m", but differ in their data',
    ],
    [
      'a name that is no file name',
      'user_data: [{ name: ../m }]\njobs: [{ name: a, command: x }]\n',
      '1:21: user_data[0].name: "../m" must be fit for the name of a file',
    ],
    [
      'an unknown name in a list',
      `${VALUES}jobs: [{ name: a, command: x, output_user_data: [mm] }]\n`,
      '2:50: jobs[0].output_user_data[0]: `user_data` have no "mm"; did you mean "m"?',
    ],
    [
      'a pattern without a match',
      `${VALUES}jobs: [{ name: a, command: x, input_user_data_regexes: ["z.*"] }]\n`,
      '"z.*" matches no name in `user_data`',
    ],
    [
      'a placeholder without a direction',
      `${VALUES}jobs: [{ name: a, command: "x \${user_data.m}" }]\n`,
      '${user_data.m}: write ${user_data.input.NAME} or ${user_data.output.NAME}',
    ],
    [
      'a placeholder in a post script',
      `${VALUES}jobs: [{ name: a, command: x, post: "x \${user_data.input.m}" }]\n`,
      'jobs[0].post: ${user_data.input.m} is only replaced in the command of a job',
    ],
    [
      'a placeholder in a step',
      'steps: { a: { exec: "x ${user_data.input.m}" } }\n',
      'steps.a.exec: ${user_data.input.m} is for `jobs`',
    ],
    [
      'a cycle',
      `${VALUES}jobs:\n  - { name: a, command: x, output_user_data: n, input_user_data: m }\n  - { name: b, command: x, output_user_data: m, input_user_data: n }\n`,
      'waits for itself: a → b → a',
    ],
  ])('%s', (_, text, message) => {
    expect(messagesOf(text).join('\n')).toContain(message);
  });

  it.each<[string, string, string]>([
    ['in a heredoc', 'cat <<EOF; {word}\n      {word} ${user_data.input.m}\n      EOF', '6:14: '],
    ['inside backticks', 'x {word} `y ${user_data.input.m}`', '5:19: '],
    ['in arithmetic', 'x $(( ${user_data.input.m} + 1 ))', '5:13: '],
    ['in code', "bash -c 'x ${user_data.input.m}'", '5:18: '],
    ['after a backslash', 'x \\${user_data.output.n}', '5:10: '],
  ])('a placeholder %s', (_, command, place) => {
    const text = `${VALUES}jobs:
  - name: a_{word}
    command: |
      ${command}
    parameters: { word: [longer] }
`;
    const placeholder = /\$\{user_data[^}]*\}/.exec(command)![0];
    const [message, ...more] = messagesOf(text);
    expect(message).toContain(`${place}jobs[0].command: ${placeholder}: a `);
    expect(message).toContain('is refused');
    expect(more).toEqual([]);
  });
});

describe('the command of a job', () => {
  const bind = (command: string, inputs: Record<string, unknown> = {}) => {
    const bound = bindUserData(command, inputs, (name) => `/dir/${name}.json`);
    return bound.ok ? bound.script : `refused: ${bound.problem}`;
  };

  it('gets values by shell variables, each once, quoted as the place demands', () => {
    expect(
      bind('a ${user_data.input.v} "b ${user_data.input.v}" \'c ${user_data.input.w}\'', {
        v: "it's $(x)",
        w: { k: [1, null] },
      }),
    ).toBe(`HF_1='it'\\''s $(x)'\nHF_2='{"k":[1,null]}'\na "\${HF_1}" "b \${HF_1}" 'c '"\${HF_2}"''`);
  });

  it('is otherwise left alone: it is no template', () => {
    const command = 'echo {{ x }} {% if %} ${HOME} $(date) `date` "$((1 + 1))"';
    expect(bind(command)).toBe(command);
    expect(bind(`${command} \${user_data.output.m}`)).toBe(`HF_1='/dir/m.json'\n${command} "\${HF_1}"`);
  });

  it('is refused where a value is missing or cannot be given to a command', () => {
    expect(bind('x ${user_data.input.v}')).toBe('refused: user_data v has no value');
    expect(bind('x ${user_data.input.constructor}')).toBe('refused: user_data constructor has no value');
    expect(bind('x ${user_data.input.v}', { v: 'a\0b' })).toMatch(/^refused: user_data v: .*NUL/);
  });
});
