import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkMachine } from '../../src/cli/doctor/check-machine.ts';
import { serverClock } from '../../src/cli/doctor/check-services.ts';
import { checkSlurmFiles } from '../../src/cli/doctor/check-slurm.ts';
import { type MachineFacts, THIS_MACHINE } from '../../src/cli/doctor/machine-facts.ts';
import type { Check } from '../../src/cli/texts/lists/checks.ts';
import { scripted } from '../client/scripted-server.ts';
import { makeProject, runCli } from './run-cli.ts';

const NFS = 0x6969;
const EXT4 = 0xef53;
const GIB = 1024 ** 3;

function onDisk(type: number, freeBytes = 10 * GIB, files = 0): Partial<MachineFacts> {
  return { fileSystem: () => ({ type, bsize: 4096, bavail: freeBytes / 4096, files, ffree: 50 * files }) };
}

function limitedTo(files: string, processes: string): Partial<MachineFacts> {
  return {
    limits: () => `Limit  Soft Limit\nMax open files  ${files}  x\nMax processes  ${processes}  x\n`,
  };
}

function checkBroken(broken: Partial<MachineFacts>, name: string, isHere = true): Check {
  const checks = checkMachine({ stateDir: makeProject(), isHere }, { ...THIS_MACHINE, ...broken });
  return checks.find((check) => check.name === name)!;
}

describe('doctor finds', () => {
  test.each<
    [what: string, name: string, broken: Partial<MachineFacts>, result: string, detail: RegExp, hint: RegExp]
  >([
    [
      'a Node that is too old',
      'node',
      { nodeVersion: '20.18.3' },
      'fail',
      /^v20\.18\.3$/,
      /install Node 20\.19/,
    ],
    [
      'a state directory that is not writable',
      'state directory',
      { canWrite: () => false },
      'fail',
      /is not writable$/,
      /--dir/,
    ],
    ['a network file system', 'state directory', onDisk(NFS), 'fail', / is on NFS, where the locks/, /--dir/],
    [
      'a disk that is nearly full',
      'disk space',
      onDisk(EXT4, GIB / 2),
      'warn',
      /^512m free$/,
      /free some space/,
    ],
    ['a full disk', 'disk space', onDisk(EXT4, 0), 'fail', /free$/, /free some space/],
    [
      'a disk with room for few files',
      'disk space',
      onDisk(EXT4, 10 * GIB, 100),
      'warn',
      /^10g free, and room for 5000 more files$/,
      /delete files/,
    ],
    [
      'a disk without room for files',
      'disk space',
      onDisk(EXT4, 10 * GIB, 1),
      'fail',
      /room for 50 /,
      /delete/,
    ],
    [
      'a container for few processes',
      'processes',
      { groupProcesses: () => 64 },
      'warn',
      /^limit 64 /,
      /pids.max/,
    ],
    ['a clock that is wrong', 'clock', { now: () => Date.now() + 60_000 }, 'warn', /within 1m00s/, /NTP/],
    ['few open files', 'open files', limitedTo('256', '9999'), 'warn', /^limit 256$/, /ulimit -n/],
    ['few processes', 'processes', limitedTo('9999', '100'), 'warn', /^limit 100$/, /ulimit -u/],
  ])('%s', (_, name, broken, result, detail, hint) => {
    expect(checkBroken(broken, name)).toEqual({
      name,
      result,
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    });
  });

  test('a missing bash', async () => {
    const cwd = makeProject();
    const { code, stdout } = await runCli(['doctor', '--output', 'json'], { cwd, env: { PATH: cwd } });
    expect(code).toBe(1);
    const bash = (JSON.parse(stdout) as Check[]).find(({ name }) => name === 'bash');
    expect(bash).toMatchObject({ result: 'fail', detail: 'not found on PATH' });
  });

  test('a server and a database that do not answer', async () => {
    const cwd = makeProject();
    const env = { HOLDFAST_DATABASE_URL: 'postgres://ada:hush@127.0.0.1:1/none' };
    const { code, stdout } = await runCli(['doctor', '--server', 'http://127.0.0.1:1'], { cwd, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL +server +cannot reach .*127\.0\.0\.1:1/im);
    expect(stdout).toMatch(/^FAIL +database +cannot reach the database/im);
    expect(stdout).not.toContain('hush');
  });
});

test.each([
  ['no limit at all', limitedTo('unlimited', 'unlimited'), 'open files'],
  ['a system that does not list limits', { limits: () => null }, 'processes'],
  ['the newest Node', { nodeVersion: '24.0.0' }, 'node'],
])('doctor is content with %s', (_, machine, name) => {
  expect(checkBroken(machine, name)).toMatchObject({ result: 'ok', hint: null });
});

test.each([
  ['agrees', 4000, 'ok', 'agrees within 5s'],
  ['is ahead', 90_000, 'warn', 'the server is 1m30s ahead'],
  ['is behind', -90_000, 'warn', 'the server is 1m30s behind'],
])('doctor compares clocks with a server that %s', (_, skew, result, detail) => {
  const now = Date.UTC(2026, 0, 1);
  expect(serverClock(new Date(now + skew).toUTCString(), now)).toMatchObject({ result, detail });
  expect(serverClock(null, now)).toMatchObject({ result: 'ok', detail: 'the server sends no time' });
});

test('doctor reaches a server and compares clocks with it', async () => {
  const { url } = await scripted((response, { url: path }) => {
    const body =
      path === '/readyz' ? { status: 'ok' } : { name: 'ada', role: 'admin', auth: 'token', groups: [] };
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const { stdout } = await runCli(['doctor', '--server', url], { cwd: makeProject() });
  expect(stdout).toMatch(/^ok +server +http:/m);
  expect(stdout).toMatch(/^warn +server clock +the server is 1h00m\S* behind/im);
});

test('a network file system is fine for the state directory where a server or PostgreSQL has the state', () => {
  expect(checkBroken(onDisk(NFS), 'state directory', false)).toMatchObject({
    result: 'ok',
    detail: expect.stringContaining('on NFS and writable'),
  });
});

describe('the directory that nodes of Slurm share', () => {
  const check = (directory: string, type: number) =>
    checkSlurmFiles(directory, { ...THIS_MACHINE, ...onDisk(type) });

  test('has to be on a network file system, also before it is made', () => {
    const shared = join(makeProject(), 'not', 'made', 'yet');
    expect(check(shared, NFS)).toEqual({
      name: 'slurm files',
      result: 'ok',
      detail: `${shared} is on NFS`,
      hint: null,
    });
    expect(check(shared, EXT4)).toMatchObject({
      result: 'warn',
      detail: `${shared} seems to be on a local disk`,
      hint: expect.stringContaining('slurm_dir'),
    });
  });

  test('has to be writable', () => {
    const shared = makeProject();
    const machine = { ...THIS_MACHINE, ...onDisk(NFS), canWrite: () => false };
    expect(checkSlurmFiles(shared, machine)).toMatchObject({
      result: 'warn',
      detail: `${shared} is not writable`,
      hint: expect.stringContaining('slurm_dir'),
    });
  });
});
