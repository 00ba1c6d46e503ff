import { describe, expect, test } from 'vitest';
import { runEndsAt } from '../../src/cli/run/time-limit.ts';
import { makeProject, runCli } from './run-cli.ts';

const NOON = new Date(2026, 2, 1, 12, 0).getTime();
const local = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();

describe('the end of a run', () => {
  test.each([
    [{}, null],
    [{ timeLimit: '2h' }, local(2026, 2, 1, 14, 0)],
    [{ endTime: '18:00' }, local(2026, 2, 1, 18, 0)],
    [{ endTime: '8:30' }, local(2026, 2, 2, 8, 30)],
    [{ endTime: '12:00' }, local(2026, 2, 2, 12, 0)],
    [{ endTime: '2026-03-03T06:15' }, local(2026, 2, 3, 6, 15)],
    [{ endTime: '18:00', timeLimit: '30m' }, local(2026, 2, 1, 12, 30)],
  ])('by %j is local time, and the earlier one', (options, end) => {
    expect(runEndsAt({ options }, NOON)).toBe(end);
  });

  test.each([
    ['2026-02-30T10:00', 'there is no time'],
    ['25:00', 'there is no time'],
    ['2026-03-01T11:59', 'is over'],
    ['tonight', 'must be a local time like 18:00'],
    ['2026-03-01', 'must be a local time like 18:00'],
  ])('cannot be %s', (endTime, problem) => {
    expect(() => runEndsAt({ options: { endTime } }, NOON)).toThrow(problem);
  });
});

describe('a run with a time limit', () => {
  test('ends what runs free of charge, and is resumed', async () => {
    const cwd = makeProject({
      'w.json': { name: 'w', jobs: [{ name: 'a', command: '[ -e go ] || { touch go; sleep 600; }' }] },
    });
    const limited = await runCli(['run', 'w.json', '--time-limit', '3s', '--grace', '1s'], { cwd });
    expect([limited.code, limited.stderr]).toEqual([
      130,
      expect.stringContaining('the time limit is reached'),
    ]);
    const attempts = JSON.parse((await runCli(['attempts', '1', '--output', 'json'], { cwd })).stdout);
    expect(attempts).toMatchObject([{ cause: 'stopped' }]);
    const followed = await runCli(['logs', 'a', '-f'], { cwd });
    expect(followed).toMatchObject({ code: 0, stdout: '' });
    expect(followed.stderr).toContain('no process drives workflow 1 now; next: holdfast run 1\n');
    expect(await runCli(['run', '1', '--time-limit', '1h'], { cwd })).toMatchObject({ code: 0 });
  });

  test('starts nothing that would take longer, and does not wait in vain', async () => {
    const cwd = makeProject({
      'w.json': {
        name: 'w',
        resource_requirements: [{ name: 'long', runtime: 'PT2H' }],
        jobs: [
          { name: 'short', command: 'true' },
          { name: 'long', command: 'true', resource_requirements: 'long' },
        ],
      },
    });
    const { code, stderr } = await runCli(['run', 'w.json', '--time-limit', '1h'], { cwd });
    expect([code, stderr]).toEqual([130, expect.stringContaining('no job that is left fits')]);
    const jobs = JSON.parse((await runCli(['jobs', '1', '--output', 'json'], { cwd })).stdout);
    expect(jobs.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
      ['short', 'completed'],
      ['long', 'ready'],
    ]);
    expect(await runCli(['run', '1'], { cwd })).toMatchObject({ code: 0 });
  });

  test('is refused where this process runs no jobs', async () => {
    const cwd = makeProject({ 'w.json': { name: 'w', jobs: [{ name: 'a', command: 'true' }] } });
    const server = ['--server', 'http://127.0.0.1:1'];
    const { code, stderr } = await runCli(['run', 'w.json', '--time-limit', '1h', ...server], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('only with --with-worker')]);
  });
});
