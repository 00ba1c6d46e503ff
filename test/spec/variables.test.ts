import { describe, expect, it } from 'vitest';
import { jobNamed, messagesOf, modelOf, warningsOf } from './spec-text.ts';

describe('{name} of a variable', () => {
  it('is replaced in every text of a workflow of jobs', () => {
    const model = modelOf(`
name: "flow-{stage}"
variables: { root: /data, stage: one, n: 3, wait: 10s, memory: 512m, samples: "[a,b]" }
env: { ROOT: "{root}" }
files: [{ name: "f_{stage}", path: "{root}/{stage}.txt" }]
user_data: [{ name: "u_{stage}", data: { deep: ["{root}"] } }]
resource_requirements: [{ name: "r_{stage}", memory: "{memory}", runtime: "{wait}" }]
failure_handlers: [{ name: "h_{stage}", rules: [{ exit_codes: [3], recovery_script: "fix {stage}" }] }]
actions: [{ trigger_type: on_jobs_complete, action_type: run_commands, commands: ["end {stage}"], jobs: ["a_{stage}"] }]
jobs:
  - name: a_{stage}
    command: "run {n:03d} > \${files.output.f_{stage}}"
    resource_requirements: r_{stage}
    failure_handler: h_{stage}
    post: check {stage}
    cwd: "{root}"
    labels: ["{stage}"]
    env: { STAGE: "{stage}" }
  - { name: "b_{i}", command: "use {i}", depends_on: ["a_{stage}"], parameters: { i: "{samples}" } }
`);
    expect(model.name).toBe('flow-one');
    expect(model.jobs.map(({ name }) => name)).toEqual(['a_one', 'b_a', 'b_b']);
    expect(jobNamed(model, 'a_one').config).toMatchObject({
      command: 'run 003 > /data/one.txt',
      timeout_ms: 10_000,
      failure_handler: 'h_one',
      post: { command: 'check one' },
      cwd: '/data',
      env: { ROOT: '/data', STAGE: 'one' },
      output_files: ['/data/one.txt'],
    });
    expect(model.requirements[jobNamed(model, 'a_one').requirement]).toMatchObject({
      memory_bytes: 512 * 1024 ** 2,
      labels: ['one'],
    });
    expect(model.userData).toMatchObject([{ name: 'u_one', data: { deep: ['/data'] } }]);
    expect(model.failureHandlers[0]!.rules[0]!.recoveryScript).toBe('fix one');
    expect(model.actions).toMatchObject([{ commands: ['end one'], jobs: [0] }]);
  });

  it('is replaced in steps, but not inside {{ … }}, {% … %} and code', () => {
    const model = modelOf(`
variables: { target: staging }
steps:
  a:
    exec: "deploy {target} {{ variables.target }} {% if variables.target %}{target}{% endif %}"
    env: { T: "{target}" }
    if: "({target: 1}).target === 1"
    post: check {target}
`);
    expect(jobNamed(model, 'a').config).toMatchObject({
      command: 'deploy staging {{ variables.target }} {% if variables.target %}staging{% endif %}',
      env: { T: 'staging' },
      condition: '({target: 1}).target === 1',
      post: { command: 'check staging' },
    });
  });

  it('may stand in other variables, in any order', () => {
    const model = modelOf(`
variables: { file: "{dir}/x.csv", dir: "{root}/in", root: /data, nested: { path: "{dir}" } }
jobs: [{ name: a, command: "{file} \${variables.file} \${variables.nested.path}" }]
`);
    expect(jobNamed(model, 'a').config.command).toBe('/data/in/x.csv /data/in/x.csv /data/in');
    expect(model.variables).toMatchObject({ file: '/data/in/x.csv' });
  });

  it('gives way to a parameter of the same name', () => {
    const model = modelOf(`
variables: { i: variable }
jobs:
  - { name: "a{i}", command: "{i}", parameters: { i: "1:2" } }
  - { name: b, command: "{i}" }
`);
    expect(model.jobs.map(({ config }) => config.command)).toEqual(['1', '2', 'variable']);
  });

  const kept =
    'awk \'{print}\' | awk "{print}" {a,b} ${sample} {sample,} { sample } {"a": 1} {1..3} %{samples} @{samples} {sampl}>f {other} {}';
  it('leaves the braces of other languages alone', () => {
    const model = modelOf(
      JSON.stringify({
        variables: { point: 1, sample: 'S', exist: 2, text: 3 },
        jobs: [
          { name: 'a', command: `${kept} | awk '{samples}' {sample} {exit} {next} "{\\"k\\": {point}}"` },
        ],
      }),
      {},
      'flow.json',
    );
    expect(jobNamed(model, 'a').config.command).toBe(
      `${kept} | awk '{samples}' S {exit} {next} "{\\"k\\": 1}"`,
    );
  });
});

describe('a placeholder', () => {
  const near = (written: string, name: string, meant: string) =>
    `${written} is neither a parameter nor a variable; did you mean "${meant}"? (write { ${name} } for braces that stay)`;
  const swept = 'parameters: { sample: [a, b] }';

  it.each<[string, string, string[]]>([
    [
      'that is nearly a parameter',
      `jobs: [{ name: "x_{sample}", command: "ls {smaple}", ${swept} }]`,
      [`1:43: jobs[0].command: ${near('{smaple}', 'smaple', 'sample')}`],
    ],
    [
      'that is nearly a variable, in a name of a file, with a format',
      'variables: { stage: 1 }\nfiles: [{ name: "f_{sta_ge:02d}", path: x }]\njobs: [{ name: a, command: x }]',
      [`2:20: files[0].name: ${near('{sta_ge:02d}', 'sta_ge', 'stage')}`],
    ],
    [
      'that differs in case only, however short',
      'jobs: [{ name: "x_{i}", command: "ls {I}", parameters: { i: "1:2" } }]',
      [`1:38: jobs[0].command: ${near('{I}', 'I', 'i')}`],
    ],
    [
      'that is nearly a variable, in a later line of a step',
      'variables: { target: x }\nsteps:\n  a:\n    exec: |\n      true\n      ls {taget}\n',
      [`6:10: steps.a.exec: ${near('{taget}', 'taget', 'target')}`],
    ],
    [
      'after the program of awk, not in it',
      `variables: { sample: x }\njobs:\n  - name: a\n    command: awk '{smaple}' {smaple}\n`,
      [`4:29: jobs[0].command: ${near('{smaple}', 'smaple', 'sample')}`],
    ],
    [
      'of a variable that is no text',
      'variables: { list: [1] }\njobs: [{ name: a, command: "ls {list}" }]',
      [
        '2:32: jobs[0].command: {list}: the variable "list" is not a text, number or boolean, so it cannot be put into a text',
      ],
    ],
    [
      'of variables that are made of each other',
      'variables: { a: "{b}", b: "{a}" }\njobs: [{ name: a, command: "ls {a}" }]',
      ['1:17: variables.a: is made of itself: a → b → a'],
    ],
  ])('%s is an error', (_, text, expected) => {
    expect(messagesOf(text)).toEqual(expected.map((message) => `flow.yaml:${message}`));
  });

  it('of a workflow parameter that the job does not use is a warning', () => {
    const text = 'parameters: { i: "1:2" }\njobs:\n';
    const used = '  - { name: "a{i}", command: x, use_parameters: [i] }\n';
    expect(warningsOf(`${text}${used}  - { name: b, command: "ls {i}" }\n`)).toEqual([
      'flow.yaml:4:25: jobs[1].command: {i} stays as it is, because `use_parameters` has no "i"',
    ]);
  });

  it('cannot make a spec grow without end', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `v${index}`,
        index === 0 ? 'x' : `{v${index - 1}}{v${index - 1}}`,
      ]),
    );
    const chain = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`v${index}`, index === 4999 ? 'x' : `{v${index + 1}}`]),
    );
    const load = (variables: object, command: string) =>
      messagesOf(JSON.stringify({ variables, jobs: [{ name: 'a', command }] }), 'flow.json');
    expect(load(doubling, '{v39}').join('\n')).toContain('is longer than 100000 characters');
    expect(load(chain, '{v0}').join('\n')).toContain('is made of more than 100 others');
    expect(load({ v: 'x'.repeat(90_000) }, '{v}'.repeat(1000))).toEqual([
      expect.stringContaining('variables would add more than 50000000 characters'),
    ]);
  });
});
