import { beforeAll, describe, expect, test } from 'vitest';
import { makeProject, runCli } from './run-cli.ts';

const SERVER = ['--server', 'http://127.0.0.1:1'];
const WITH_WORKER = 'with a server only with --with-worker';

describe('an option that would have no effect is refused', () => {
  let cwd: string;

  beforeAll(async () => {
    cwd = makeProject({ 'one.json': { name: 'one', jobs: [{ name: 'a', command: 'true' }] } });
    await runCli(['run', 'one.json'], { cwd });
  });

  test.each([
    ['status 1 --limit 2', '--limit: only for the list'],
    ['failures --stats --pending', '--pending: not with --stats'],
    ['failures 1 --stats --all', '--all: not with --stats'],
    ['run 1 --cwd /tmp', '--cwd: applies to a spec only; workflow 1 keeps what it was created with'],
    ['run 1 --output-dir logs', '--output-dir: applies to a spec only'],
    ['run 1 --host login1', '--host: only with --executor slurm'],
    ['run one.json --host login1', '--host: only with --executor slurm'],
    ['run one.json --port 7000', '--port: only with --executor slurm'],
    ['run one.json --continue --port 7000', '--port: only with --executor slurm'],
    ['run one.json --reconnect-timeout 5s', '--reconnect-timeout: only with a server'],
    ['watch 1 --reconnect-timeout 5s', '--reconnect-timeout: only with a server'],
    ['logs 1 a --reconnect-timeout 5s', '--reconnect-timeout: only with --follow'],
    ['logs 1 a -f --reconnect-timeout 5s', '--reconnect-timeout: only with a server'],
    ['logs bundle 1 --reconnect-timeout 5s', '--reconnect-timeout: only with --follow'],
    ['watch 1 --with-worker', '--with-worker: only with --recover'],
    ['watch 1 -j 2', '--max-parallel: only with --recover'],
    ['watch 1 --min-confidence 0.5', '--min-confidence: only with --recover'],
    ['watch 1 --recover --ai-agent mine', '--ai-agent: only with --ai-recovery'],
    ['recover 1 --max-decisions 3', '--max-decisions: only with --ai-recovery'],
    ['workers list 3', '3: `workers list` lists all of them'],
    ['workers drain 3 --all', '--all: only with `workers list`'],
    ['token list --role viewer', '--role: only with `token create`'],
    ['token revoke 1 --name ada', '--name: only with `token create`'],
    ['token list 3', '3: `token list` takes no number'],
    ['token create ada --name ada --role viewer', 'ada: `token create` takes no number'],
    ['sites list north', 'north: `sites list` lists all of them'],
    ['requests list sweep', 'sweep: `requests list` takes no name'],
    ['requests run sweep --output-dir logs', "unknown option '--output-dir'"],
    ['serve --port 0 -j 2', '--max-parallel: only with --with-worker'],
    ['serve --port 0 --grace 2s', '--grace: only with --with-worker'],
    ['serve --server http://127.0.0.1:7600', '--server: is for commands that ask a server'],
    ['serve --token-file token', '--token-file: is for commands that ask a server'],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await runCli(line.split(' '), { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: ${message}`);
  });

  test.each([
    'run one.json -j 2',
    'run one.json --cpus 2',
    'run 1 --keep-work all',
    'watch 1 --recover --grace 2s',
  ])('with a server whose workers run the jobs: %s', async (line) => {
    const { code, stderr } = await runCli([...line.split(' '), ...SERVER], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(WITH_WORKER)]);
  });

  test('and then nothing has changed', async () => {
    expect((await runCli(['status', '--output', 'quiet'], { cwd })).stdout).toBe('1\n');
  });

  test('also the first of two values, unless they are those of a setting', async () => {
    const twice = await runCli(['jobs', '1', '--status', 'failed', '--status', 'completed'], { cwd });
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain('--status: takes one value, and was given "failed" and "completed"');
    const setting = await runCli(['config', 'show', '-j', '2', '-j', '3', '--output', 'json'], { cwd });
    expect(setting.stdout).toMatch(/"max_parallel",\s+"value": 3/);
  });
});
