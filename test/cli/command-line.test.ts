import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeProject, runCli, startCli } from './run-cli.ts';

describe('config show', () => {
  test('shows the origin of each value', async () => {
    const cwd = makeProject();
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(join(cwd, '.holdfast/config.yaml'), '# ours\ngrace: 3s\n');
    const { stdout, code } = await runCli(['config', 'show', '--cpus', '3'], {
      cwd,
      env: { HOLDFAST_MAX_PARALLEL: '2' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cpus +3 +flag --cpus$/m);
    expect(stdout).toMatch(/^max_parallel +2 +environment HOLDFAST_MAX_PARALLEL$/m);
    expect(stdout).toMatch(/^grace +3s +file \S+\.holdfast\/config\.yaml:2$/m);
    expect(stdout).toMatch(/^gpus +0 +default$/m);
  });

  test('refuses a file with unknown keys', async () => {
    const cwd = makeProject();
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(join(cwd, '.holdfast/config.yaml'), 'grce: 3s\n');
    const { stderr, code } = await runCli(['status'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/config\.yaml:1: unknown key grce; did you mean "grace"\?\nhint: /);
  });
});

describe('the command line', () => {
  test('answers --version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await startCli(['--version'], { cwd: makeProject() }).ended).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  test('has a help with a line and examples for every command', async () => {
    const cwd = makeProject();
    const { stdout, code } = await runCli(['help', 'all'], { cwd });
    expect(code).toBe(0);
    const { COMMANDS } = await import('../../src/cli/command-table.ts');
    for (const { usage, summary, examples } of COMMANDS) {
      expect(stdout).toMatch(new RegExp(`^ {2}${usage.split(' ')[0]} .*${quoted(summary)}$`, 'm'));
      expect(examples.length).toBeGreaterThan(0);
    }
    const run = await runCli(['help', 'run'], { cwd });
    expect(run.stdout).toMatch(/Examples:\n {2}holdfast run workflow\.yaml/);
    expect(run.stdout).toMatch(/\nOptions of every command: --dir, --server, .*--no-color\n$/);
    for (const line of `${stdout}${run.stdout}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('shows the commands by task on one screen', async () => {
    const { stdout, code } = await runCli(['help'], { cwd: makeProject() });
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const { COMMANDS } = await import('../../src/cli/command-table.ts');
    const { COMMAND_GROUPS } = await import('../../src/cli/help-overview.ts');
    const grouped = COMMAND_GROUPS.flatMap(([, commands]) => commands);
    expect(grouped.toSorted()).toEqual([...COMMANDS.map(({ usage }) => usage.split(' ')[0]!), 'help'].sort());
    for (const [task, commands] of COMMAND_GROUPS) {
      expect(lines.find((line) => line.startsWith(`  ${task} `))).toContain(commands.join(' '));
    }
  });

  test.each([
    [['statsu'], /unknown command 'statsu'\n\(Did you mean status\?\)/],
    [['help', 'statsu'], /unknown command 'statsu'\n\(Did you mean status\?\)/],
    [['run', 'x', '--dryrun'], /unknown option '--dryrun'\n\(Did you mean --dry-run\?\)/],
    [['run'], /missing required argument 'spec-or-id'/],
    [['status', '1', '2'], /too many arguments/],
    [['status', 'x'], /x: is not the number of a workflow/],
    [['jobs', '1', '--status', 'faild'], /no job status is called faild; did you mean "failed"\?/],
    [['logs', '1', 'a', '--tail', '-3'], /--tail: must be a whole number/],
    [['run', 'x', '--cpus', 'many'], /^error: --cpus: must be a number above 0/],
    [['graph', 'one.json', '--format', 'svg'], /--format: must be mermaid, dot, text, not svg/],
    [['config', 'hide'], /there is no action hide/],
    [['status', '--output', 'xml'], /^error: --output: must be table or json or quiet/],
  ])('refuses %j with exit 2 and says what is wrong', async (args, message) => {
    const cwd = makeProject({ 'one.json': { name: 'one', jobs: [{ name: 'a', command: 'true' }] } });
    if (['status', 'jobs', 'logs'].includes(args[0]!)) await runCli(['run', 'one.json'], { cwd });
    const result = await runCli(args, { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });

  test.each([
    [['run'], '`holdfast help run`'],
    [['jobs', '--bogus'], '`holdfast help jobs`'],
    [['prune', '--older-than', '0s'], '`holdfast help prune`'],
    [['nonsense'], '`holdfast help` shows the commands'],
  ])('after %j names the help that describes it', async (args, hint) => {
    expect((await runCli(args, { cwd: makeProject() })).stderr).toContain(`hint: ${hint}`);
  });

  test('reports a wrong option as JSON where JSON was asked for', async () => {
    const result = await runCli(['status', '--bogus', '--output', 'json'], { cwd: makeProject() });
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } });
    expect(result.code).toBe(2);
  });

  test('without any state says where to go', async () => {
    const { stderr, code } = await runCli(['status'], { cwd: makeProject() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/error: there is no Holdfast state at .*\nhint: go to the directory/);
  });

  test('prints the JSON Schema', async () => {
    const { stdout } = await runCli(['schema'], { cwd: makeProject() });
    expect(JSON.parse(stdout)).toHaveProperty('$schema');
  });

  test('examines the machine with doctor, and leaves nothing behind', async () => {
    const cwd = makeProject();
    const { stdout } = await runCli(['doctor', '--output', 'json'], { cwd });
    const checks: { name: string; result: string }[] = JSON.parse(stdout);
    // The checks of clusters depend on whether their commands are installed.
    const names = checks.map(({ name }) => name);
    expect(names).toContain('slurm');
    expect(names).toContain('htcondor');
    expect(names.filter((name) => !/^(slurm|htcondor)/.test(name))).toEqual([
      'node',
      'bash',
      'process start',
      'sqlite',
      'state directory',
      'disk space',
      'clock',
      'open files',
      'processes',
    ]);
    expect(checks.find(({ name }) => name === 'sqlite')!.result).toBe('ok');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });
});

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
