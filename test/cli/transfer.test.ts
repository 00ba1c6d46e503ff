import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeProject, runCli } from './run-cli.ts';

const SPEC = {
  name: 'moved',
  jobs: [
    { name: 'good', command: 'echo fine' },
    { name: 'bad', command: 'echo broken >&2; test -e fixed', env: { API_TOKEN: 'hush-hush' } },
  ],
};

async function exportedProject(): Promise<{ cwd: string; file: string }> {
  const cwd = makeProject({ 'w.json': SPEC });
  await runCli(['run', 'w.json'], { cwd });
  expect(await runCli(['export', '1', '-o', 'w.gz'], { cwd })).toMatchObject({ code: 0 });
  return { cwd, file: join(cwd, 'w.gz') };
}

describe('export and import', () => {
  test('move a workflow to another directory, where it is read, fixed and run', async () => {
    const { cwd, file } = await exportedProject();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await runCli(['export', '1', '-o', 'w.gz'], { cwd });
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('w.gz: exists already');

    const there = makeProject({ 'x.json': { jobs: [{ name: 'x', command: 'true' }] }, fixed: '' });
    await runCli(['run', 'x.json'], { cwd: there });
    const imported = await runCli(['import', file], { cwd: there });
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.stdout).toContain('as workflow 2 moved: 2 jobs, failed');
    expect((await runCli(['logs', '2', 'bad', '--stderr'], { cwd: there })).stdout).toBe('broken\n');
    expect((await runCli(['logs', '2', 'good'], { cwd: there })).stdout).toBe('fine\n');
    await runCli(['retry', '2', '--failed'], { cwd: there });
    expect(await runCli(['run', '2'], { cwd: there })).toMatchObject({ code: 0 });
    expect(existsSync(join(there, 'output/job_stdio'))).toBe(true);
  });

  test('refuse what is damaged, cut off, too large or no export, and change nothing', async () => {
    const { cwd, file } = await exportedProject();
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(bytes.length / 2)]! ^= 0xff;
    const lines = gunzipSync(bytes).toString('utf8');
    const bad: Record<string, Buffer | string> = {
      flipped,
      half: bytes.subarray(0, bytes.length / 2),
      empty: '',
      plain: lines,
      short: gzipSync(lines.slice(0, -40)),
      changed: gzipSync(lines.replace('echo fine', 'echo evil')),
      endless: gzipSync('a'.repeat(70 * 1024 * 1024)),
    };
    const there = makeProject();
    for (const [name, content] of Object.entries(bad)) {
      writeFileSync(join(there, name), content);
      const refused = await runCli(['import', name], { cwd: there });
      expect([name, refused.code, refused.stdout]).toEqual([name, 2, '']);
      expect([name, refused.stderr]).toEqual([name, expect.stringContaining('cannot be imported')]);
    }
    const large = await runCli(['import', file, '--max-size', '1k'], { cwd: there });
    expect(large.stderr).toContain('--max-size');
    expect((await runCli(['import', 'missing'], { cwd: there })).stderr).toContain('cannot be read');
    expect((await runCli(['status', '--output', 'json'], { cwd: there })).stdout).toBe('[]\n');
    expect((await runCli(['export', '1', '--server', 'http://127.0.0.1:1'], { cwd })).stderr).toContain(
      'run it where the state is',
    );
  });
});
