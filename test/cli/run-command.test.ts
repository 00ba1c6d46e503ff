import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MIXED } from './mixed-spec.ts';
import { makeProject, runCli } from './run-cli.ts';

describe('run', () => {
  test('refuses a job that could never fit before anything is created', async () => {
    const cwd = makeProject({
      'big.json': {
        name: 'big',
        jobs: [{ name: 'huge', command: 'true', resource_requirements: { num_cpus: 8 } }],
      },
    });
    const result = await runCli(['run', 'big.json', '--cpus', '2'], { cwd });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/error: job huge needs 8 CPUs.* offers 2 CPUs/);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('with --dry-run prints the plan and creates nothing', async () => {
    const cwd = makeProject({ 'mixed.json': MIXED });
    const result = await runCli(['run', 'mixed.json', '--dry-run'], { cwd });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('workflow mixed: 4 jobs in 2 waves');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('prints one JSON object at its end, or only the id', async () => {
    const cwd = makeProject({ 'one.json': { name: 'one', jobs: [{ name: 'a', command: 'true' }] } });
    const json = await runCli(['run', 'one.json', '--output', 'json'], { cwd });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ complete: true, exit_code: 0, counts: { completed: 1 } });
    expect(await runCli(['run', 'one.json', '--output', 'quiet'], { cwd })).toEqual({
      code: 0,
      stdout: '2\n',
      stderr: '',
    });
  });

  test('keeps its state where --dir or HOLDFAST_DIR says, and names it in the next command', async () => {
    const cwd = makeProject({ 'bad.json': { name: 'bad', jobs: [{ name: 'a b', command: 'false' }] } });
    const flag = await runCli(['run', 'bad.json', '--dir', 'state', '--output-dir', 'logs'], { cwd });
    expect(flag.stdout).toContain("next: holdfast explain 1 'a b' --dir state");
    expect(existsSync(join(cwd, 'state/holdfast.db'))).toBe(true);
    expect(existsSync(join(cwd, 'logs/job_stdio/job_wf1_j1_r1_a1.e'))).toBe(true);
    const environment = await runCli(['status', '--output', 'quiet'], {
      cwd,
      env: { HOLDFAST_DIR: 'state' },
    });
    expect(environment.stdout).toBe('1\n');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('fills retries in from the configuration', async () => {
    const cwd = makeProject({ 'bad.json': { name: 'bad', jobs: [{ name: 'a', command: 'false' }] } });
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(
      join(cwd, '.holdfast/config.yaml'),
      'default_max_retries_failure: 2\ndefault_retry_delay_ms: 1\n',
    );
    await runCli(['run', 'bad.json'], { cwd });
    const attempts = await runCli(['attempts', '1', '--output', 'quiet'], { cwd });
    expect(attempts.stdout).toBe('a r1 a1\na r1 a2\na r1 a3\n');
  });

  test('thins the lines of a large workflow, but prints every failure', async () => {
    const jobs = [
      { name: 'ok_{i}', command: 'true', parameters: { i: '1:210' } },
      { name: 'bad', command: 'exit 3' },
    ];
    const cwd = makeProject({ 'many.json': { name: 'many', jobs } });
    const result = await runCli(['run', 'many.json'], { cwd });
    expect(result.code).toBe(1);
    expect(result.stderr).not.toMatch(/ ok {6}/);
    expect(result.stderr).toMatch(/ failed {2}bad {2}exit 3/);
    expect(result.stderr).toMatch(/100% {2}211 of 211 jobs ended, 1 failed/);
  });

  test('takes a spec from stdin and from files without a known extension', async () => {
    const cwd = makeProject({ spec: 'name: bare\njobs:\n  - {name: a, command: "true"}\n' });
    expect((await runCli(['run', 'spec'], { cwd })).code).toBe(0);
    const input = 'name: piped\njobs:\n  - {name: a, comand: "true"}\n';
    const piped = await runCli(['run', '-'], { cwd, input });
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('<stdin>:3:');
  });
});
