import { beforeAll, describe, expect, test } from 'vitest';
import { makeProject, runCli } from './run-cli.ts';

const SPEC = `
name: items
shell: strict
steps:
  list: { exec: 'echo "[1, 2, 3]"', forEach: true }
  work: { exec: 'test {{ outputs.list }} -ne 2 || { echo "no disk" >&2; exit 5; }' }
  join: { exec: "true", fanout: reduce }
`;

describe('a command that takes one job', () => {
  let cwd: string;
  const cli = (...args: string[]) => runCli(args, { cwd });

  beforeAll(async () => {
    cwd = makeProject({ 'items.yaml': SPEC });
    expect((await cli('run', 'items.yaml')).code).toBe(1);
  });

  test.each([
    [['explain', 'work']],
    [['logs', 'work']],
    [['logs', '-f', '1', 'work']],
    [['attempts', '1', 'work']],
    [['events', '--job', 'work']],
    [['resolve', '1', 'work', '--retry']],
  ])('refuses in %j a name that several items share, and lists those that failed first', async (args) => {
    const { code, stderr } = await cli(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "error: work: is the name of 3 jobs; name one of 'work@list[1]' (failed), 'work@list[0]' (completed), 'work@list[2]' (completed)\n",
    );
  });

  test('takes a label, a number, and a name that is the only one of its kind', async () => {
    expect((await cli('explain', 'work@list[1]')).stdout).toContain('failed: exit 5');
    expect((await cli('explain', '1', '1')).stdout).toContain('list (job 1, run 1): completed');
    expect((await cli('attempts', 'join', '--output', 'quiet')).stdout).toBe('join r1 a1\n');
  });

  test('explains a number that is a workflow', async () => {
    const other = makeProject({ 'one.json': { name: 'one', jobs: [{ name: 'a', command: 'true' }] } });
    const run = () => runCli(['run', 'one.json'], { cwd: other });
    await run();
    await run();
    for (const verb of ['explain', 'logs']) {
      const { code, stderr } = await runCli([verb, '1'], { cwd: other });
      expect(code).toBe(2);
      expect(stderr).toMatch(
        new RegExp(`^error: 1: is a workflow; add one of its jobs, as in \`holdfast ${verb} 1 JOB`),
      );
    }
    expect((await runCli(['logs', '99'], { cwd: other })).stderr).toContain('workflow 2 has no job 99');
  });
});

describe('logs', () => {
  let cwd: string;
  const cli = (...args: string[]) => runCli(args, { cwd });

  beforeAll(async () => {
    const jobs = [
      { name: 'errors', command: 'echo bad >&2; exit 3' },
      { name: 'silent', command: 'true' },
    ];
    cwd = makeProject({ 'spec.json': { name: 'spec', shell: 'strict', jobs } });
    await cli('run', 'spec.json');
  });

  test('of a job that wrote nothing to stdout names its stderr, if that has something', async () => {
    const errors = await cli('logs', 'errors');
    expect(errors).toMatchObject({ code: 0, stdout: '' });
    expect(errors.stderr).toMatch(
      /^stdout of attempt 1 is empty; stderr is not: holdfast logs 1 errors --stderr/,
    );
    expect((await cli('logs', '1', 'errors', '--attempt', '1')).stderr).toContain(
      'holdfast logs 1 errors --stderr --attempt 1',
    );
    expect(await cli('logs', 'silent')).toMatchObject({
      stdout: '',
      stderr: 'stdout of attempt 1 is empty\n',
    });
  });

  test('asks for the workflow of a bundle', async () => {
    expect((await cli('logs', 'bundle')).stderr).toMatch(
      /^error: bundle: needs the number of a workflow, as in `holdfast logs bundle 1/,
    );
  });
});
