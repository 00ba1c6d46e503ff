import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { safeName, tarEntry } from '../../src/cli/bundle/tar-entry.ts';
import { makeProject, runCli } from './run-cli.ts';

const SECRET = 'correct-horse-battery';
const SPEC = {
  name: 'help me',
  jobs: [
    { name: 'fine', command: 'echo unimportant' },
    {
      name: '../../e v:i/l',
      command: `echo begin; seq 1 20000; echo "token is $API_TOKEN"; echo "lost $API_TOKEN" >&2; exit 7`,
      env: { API_TOKEN: SECRET, PIN_SECRET: '42' },
    },
  ],
};

function unpack(cwd: string, archive: string): Record<string, string> {
  const opened = spawnSync('tar', ['-xzf', archive], { cwd, encoding: 'utf8' });
  expect([opened.status, opened.stderr]).toEqual([0, '']);
  const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith('workflow-1-bundle/') && statSync(join(cwd, name)).isFile())
    .map((name) => [name.replace('workflow-1-bundle/', ''), readFileSync(join(cwd, name), 'utf8')]);
  return Object.fromEntries(files) as Record<string, string>;
}

describe('logs bundle', () => {
  test('has what a help desk needs in one archive, with secrets masked and limits stated', async () => {
    const cwd = makeProject({ 'w.json': SPEC });
    await runCli(['run', 'w.json'], { cwd });
    const written = await runCli(['logs', 'bundle', '1', '--max-log', '10k'], { cwd });
    expect(written).toMatchObject({ code: 0 });
    expect(written.stdout).toContain('wrote workflow-1-bundle.tar.gz');
    expect(written.stdout).toContain('1 of 1 failed jobs explained, 2 logs');
    expect(written.stdout).toContain('--max-log SIZE keeps more');
    expect(statSync(join(cwd, 'workflow-1-bundle.tar.gz')).mode & 0o777).toBe(0o600);

    const files = unpack(cwd, 'workflow-1-bundle.tar.gz');
    const evil = '2-__.._e_v_i_l';
    expect(Object.keys(files).sort()).toEqual(
      [
        'README.txt',
        'attempts.csv',
        'doctor.txt',
        'events.csv',
        `explain/${evil}.txt`,
        'failures.json',
        'failures.txt',
        'jobs.csv',
        `logs/${evil}.r1.a1.stderr`,
        `logs/${evil}.r1.a1.stdout`,
        'settings.txt',
        'spec/1-fine.json',
        `spec/${evil}.json`,
        'status.json',
        'status.txt',
        'versions.json',
      ].sort(),
    );
    expect(JSON.stringify(files)).not.toContain(SECRET);
    expect(files['failures.txt']).toContain('exit 7');
    expect(files[`explain/${evil}.txt`]).toContain('exit 7');
    const stdout = files[`logs/${evil}.r1.a1.stdout`]!;
    expect(stdout.length).toBe(10 * 1024);
    expect(stdout).toMatch(/\n20000\ntoken is \*+\n$/);
    expect(JSON.parse(files[`spec/${evil}.json`]!)).toMatchObject({
      name: '../../e v:i/l',
      env: { API_TOKEN: '***', PIN_SECRET: '***' },
    });
    expect(files['README.txt']).toContain('at most the last 10k, and 20m of all: 1 are cut, 0 are left out');

    const again = await runCli(['logs', 'bundle', '1'], { cwd });
    expect(again.stderr).toContain('exists already');
  });

  test('refuses options that it has no use for, and leaves jobs named bundle alone', async () => {
    const cwd = makeProject({ 'w.json': { jobs: [{ name: 'bundle', command: 'echo own' }] } });
    await runCli(['run', 'w.json'], { cwd });
    expect((await runCli(['logs', 'bundle'], { cwd })).stdout).toBe('own\n');
    expect((await runCli(['logs', '1', 'bundle'], { cwd })).stdout).toBe('own\n');
    for (const [args, problem] of [
      [['bundle', '1', '--follow'], '--follow: not with `logs bundle`'],
      [['bundle', '--out', 'x'], '--out: only with `logs bundle ID`'],
      [['bundle', '1', '--max-log', 'much'], '--max-log: must be a size'],
      [['bundle', '9'], 'there is no workflow 9'],
    ] as const) {
      const refused = await runCli(['logs', ...args], { cwd });
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain(problem);
    }
    expect(readdirSync(cwd).filter((name) => name.includes('bundle') || name === 'x')).toEqual([]);
  });
});

test('names in an archive never leave it', () => {
  for (const name of ['..', '../x', '/etc/passwd', '-rf', '.bashrc', 'a\0b', 'é', '', 'a'.repeat(999)]) {
    expect(safeName(name)).toMatch(/^[A-Za-z0-9_@][A-Za-z0-9._@-]{0,49}$/);
  }
  expect(() => tarEntry('a'.repeat(101), Buffer.alloc(0), 0)).toThrow('too long');
});
