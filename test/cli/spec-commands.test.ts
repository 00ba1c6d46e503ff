import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeProject, runCli } from './run-cli.ts';

describe('init', () => {
  test('writes a spec that runs as it is and has a job that recovers', async () => {
    const cwd = makeProject();
    expect(await runCli(['init'], { cwd })).toMatchObject({ code: 0, stdout: 'wrote workflow.yaml\n' });
    const ran = await runCli(['run', 'workflow.yaml'], { cwd });
    expect(ran.stdout).toContain('completed 6');
    expect(ran.stdout).toContain('1 job recovered: flaky');
    expect(ran.code).toBe(0);
  });

  test('never overwrites', async () => {
    const cwd = makeProject({ 'mine.yaml': 'precious' });
    const result = await runCli(['init', 'mine.yaml'], { cwd });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('mine.yaml: exists already');
    expect(readFileSync(join(cwd, 'mine.yaml'), 'utf8')).toBe('precious');
  });
});

describe('a spec with mistakes', () => {
  const spec =
    'name: wrong\njobs:\n  - name: a\n    comand: echo\n  - name: b\n    command: echo\n    depends_on: [c]\n';

  test('is refused by run with every place, and nothing is created', async () => {
    const cwd = makeProject({ 'wrong.yaml': spec });
    const result = await runCli(['run', 'wrong.yaml'], { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^wrong\.yaml:4:5: jobs\[0\]\.comand: .*did you mean "command"/m);
    expect(result.stderr).toMatch(/^hint: nothing was created/m);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
    expect(existsSync(join(cwd, 'output'))).toBe(false);
  });

  test('is shown by validate in all outputs', async () => {
    const cwd = makeProject({ 'wrong.yaml': spec });
    const shown = await runCli(['validate', 'wrong.yaml'], { cwd });
    expect(shown.code).toBe(2);
    expect(shown.stdout).toMatch(/wrong\.yaml: 3 problems\n$/);
    const json = await runCli(['validate', 'wrong.yaml', '--output', 'json'], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: false,
      problems: [{ line: 3 }, { line: 4, column: 5 }, { line: 7, column: 18 }],
    });
    expect(json.code).toBe(2);
    expect(await runCli(['validate', 'wrong.yaml', '--output', 'quiet'], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  test('that does not exist is reported differently from one that is wrong', async () => {
    const cwd = makeProject({ 'b.json': {}, 'a.json': {}, 'package.json': {}, 'holdfast.schema.json': {} });
    expect((await runCli(['run', 'nothing.yaml'], { cwd })).stderr).toContain(
      'error: nothing.yaml: there is no such file; here are a.json, b.json\n',
    );
    expect((await runCli(['run', 'a.jsn'], { cwd })).stderr).toContain(
      'error: a.jsn: there is no such file; did you mean "a.json"?\n',
    );
    const { stderr } = await runCli(['plan', cwd], { cwd });
    expect(stderr).toContain(`is a directory, not a spec; in it are ${cwd}/a.json, ${cwd}/b.json\n`);
  });

  test('is not one with keys without effect: validate, plan and run print a note', async () => {
    const cwd = makeProject({
      'flow.json': { name: 'flow', slurm_defaults: { qos: 'high' }, jobs: [{ name: 'a', command: 'true' }] },
    });
    const validated = await runCli(['validate', 'flow.json'], { cwd });
    expect(validated.code).toBe(0);
    expect(validated.stdout).toContain('slurm_defaults: note: is about Slurm');
    expect(validated.stdout).toContain('flow.json: valid, workflow flow with 1 job');
    for (const command of ['plan', 'run']) {
      const { code, stderr } = await runCli([command, 'flow.json'], { cwd });
      expect(code, command).toBe(0);
      expect(
        stderr.match(/^note: flow\.json:\d+:\d+: slurm_defaults: is about Slurm/gm),
        command,
      ).toHaveLength(1);
    }
  });
});

describe('a request', () => {
  const spec = `kind: request
name: sums
work: { items: "data/*.txt", per_job: 2 }
rulebook: rules.yaml
process: { command: "cat {items} > {output}" }
outputs: "sums/{unit}.txt"
`;
  const files = {
    'specs/sums.yaml': spec,
    'specs/rules.yaml': 'rules: [{ exit_codes: [65], category: permanent }]\n',
    'specs/data/b.txt': '1',
    'specs/data/a b.txt': '2',
    'specs/data/.hidden.txt': '3',
    'specs/data/c.csv': '4',
  };

  test('is checked by validate, with the files that it names', async () => {
    const cwd = makeProject(files);
    const { code, stdout } = await runCli(['validate', 'specs/sums.yaml'], { cwd });
    expect(stdout).toContain('specs/sums.yaml: valid, request sums\n  the work is 2 items\n');
    expect(stdout).toContain('failures are classified by 1 rule of specs/rules.yaml');
    expect(code).toBe(0);
    const json = await runCli(['validate', 'specs/sums.yaml', '--output', 'json'], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'request',
      valid: true,
      name: 'sums',
      problems: [],
      plan: { units: 1, total: '2' },
    });
    expect(await runCli(['validate', 'specs/sums.yaml', '--output', 'quiet'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'sums\n',
    });
  });

  test('has its mistakes shown with their files', async () => {
    const cwd = makeProject({
      ...files,
      'specs/sums.yaml': spec.replace('{output}', '{outptu}'),
      'specs/rules.yaml': 'rules: [{ exit_code: [65] }]\n',
    });
    const { code, stdout } = await runCli(['validate', 'specs/sums.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^specs\/sums\.yaml:5:36: process\.command: \{outptu\} is neither .* did you mean "output"/m,
    );
    expect(stdout).toMatch(/^specs\/rules\.yaml:1:11: rules\[0\]\.exit_code: unknown key "exit_code"/m);
    expect(stdout).toMatch(/specs\/sums\.yaml: 4 problems\n$/);
    const json = await runCli(['validate', 'specs/sums.yaml', '--output', 'json'], { cwd });
    const { problems } = JSON.parse(json.stdout) as { problems: { file?: string }[] };
    expect(problems.map(({ file }) => file)).toEqual([
      undefined,
      undefined,
      'specs/rules.yaml',
      'specs/rules.yaml',
    ]);
    const planned = await runCli(['plan', 'specs/sums.yaml'], { cwd });
    expect(planned.code).toBe(2);
    expect(planned.stderr).toContain('specs/rules.yaml:1:11');
  });

  test('is shown by plan in all outputs', async () => {
    const cwd = makeProject(files);
    const { code, stdout } = await runCli(['plan', 'specs/sums.yaml'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^request sums\n {2}the work is 2 items\n {2}a unit is one processing job of 2 items\n/,
    );
    const json = await runCli(['plan', 'specs/sums.yaml', '--output', 'json'], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'sums', units: 1, rounds: 1 });
    expect((await runCli(['plan', 'specs/sums.yaml', '--output', 'quiet'], { cwd })).stdout).toBe('sums\n');
  });

  test('names files that cannot be read', async () => {
    const cwd = makeProject({ 'sums.yaml': spec });
    const { stdout } = await runCli(['validate', 'sums.yaml'], { cwd });
    expect(stdout).toContain('sums.yaml:3:16: work.items: data/*.txt matches no file');
    expect(stdout).toContain('sums.yaml:4:11: rulebook: rules.yaml cannot be read: there is no such file');
  });
});
