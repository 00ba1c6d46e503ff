import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { all } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { simpleModel } from '../engine/simple-model.ts';
import { makeProject, runCli, startCli, until } from './run-cli.ts';

const SPEC = {
  name: 'tidy',
  jobs: [
    { name: 'good', command: 'echo fine' },
    {
      name: 'bad',
      command: 'echo left > "$HOLDFAST_WORK_DIR/left"; echo kept > "$HOLDFAST_CHECKPOINT_DIR/c"; exit 1',
    },
  ],
};

async function ran(times: number): Promise<string> {
  const cwd = makeProject({ 'w.json': SPEC });
  for (let count = 0; count < times; count += 1) await runCli(['run', 'w.json'], { cwd });
  return cwd;
}

function files(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(directory, name)).isFile(),
  );
}

async function rows(file: string, table: string): Promise<number> {
  const store = new SqliteStore(file);
  const [row] = await store.read(() => all<{ count: number }>(`select count(*) as count from ${table}`));
  await store.close();
  return row!.count;
}

describe('delete', () => {
  test('removes logs, work directories and checkpoints of the workflow, and of no other', async () => {
    const cwd = await ran(2);
    const reported = await runCli(['delete', '1', '--dry-run'], { cwd });
    expect(reported.stdout).toMatch(
      /^would delete workflow 1 tidy: 2 jobs, 2 attempts, \d+ events, \d+ files \(\S+\)\n$/,
    );
    expect(files(join(cwd, 'output/job_stdio')).filter((name) => name.includes('_wf1_'))).toHaveLength(4);
    const left = () => files(join(cwd, '.holdfast')).filter((name) => /left|checkpoints/.test(name));
    expect(left()).toHaveLength(4);

    const deleted = await runCli(['delete', '1'], { cwd });
    expect(deleted.stdout).toBe(reported.stdout.replace('would delete', 'deleted'));
    expect(files(join(cwd, 'output/job_stdio')).map((name) => /_wf\d+_/.exec(name)![0])).toEqual(
      Array.from({ length: 4 }, () => '_wf2_'),
    );
    expect(left()).toHaveLength(2);
    expect(await rows(join(cwd, '.holdfast/holdfast.db'), 'workflow')).toBe(1);
    const { code, stderr } = await runCli(['status', '1'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no workflow 1')]);
  });

  test('of several deletes all or none', async () => {
    const cwd = await ran(1);
    const { code, stderr } = await runCli(['delete', '1', '7'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no workflow 7')]);
    expect((await runCli(['status', '--output', 'quiet'], { cwd })).stdout).toBe('1\n');
  });

  test('that was killed is finished by the next one, and nobody sees the workflow meanwhile', async () => {
    const cwd = makeProject();
    const dir = join(cwd, '.holdfast');
    const engine = await openEngine({ dir, create: true });
    const model = simpleModel(Array.from({ length: 20_000 }, (_, index) => ({ name: `j${index}` })));
    await engine.createWorkflow({ model, cwd, output_dir: join(cwd, 'output'), actor: 'test' });
    await engine.close();
    const running = startCli(['delete', '1'], { cwd });
    // It is printed once the workflow is hidden; then its rows are removed.
    await until(() => running.output().stdout.includes('deleted'), 'it is deleted');
    running.child.kill('SIGKILL');
    await running.ended;
    const database = join(dir, 'holdfast.db');
    expect(await rows(database, 'job')).toBeGreaterThan(0);
    expect((await runCli(['status'], { cwd })).stdout).toBe('no workflows yet\n');
    expect((await runCli(['prune', '--keep', '9'], { cwd })).stdout).toBe(
      '0 workflows deleted, 0 workflows kept\n',
    );
    expect([await rows(database, 'job'), await rows(database, 'workflow')]).toEqual([0, 0]);
  });
});

describe('prune', () => {
  test('needs to know what to remove', async () => {
    const cwd = await ran(1);
    const { code, stderr } = await runCli(['prune'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--older-than 30d, --keep 20, or both')]);
    const status = await runCli(['prune', '--keep', '1', '--status', 'running'], { cwd });
    expect([status.code, status.stderr]).toEqual([2, expect.stringContaining('completed, failed, canceled')]);
  });

  test('leaves archived workflows alone', async () => {
    const cwd = await ran(3);
    expect((await runCli(['archive', '1'], { cwd })).stdout).toBe(
      'workflow 1 tidy is archived; `holdfast status --archived` lists it\n',
    );
    expect((await runCli(['prune', '--keep', '1', '--output', 'quiet'], { cwd })).stdout).toBe('2\n');
    expect((await runCli(['status', '--output', 'quiet'], { cwd })).stdout).toBe('3\n');
    expect((await runCli(['status', '--archived', '--output', 'quiet'], { cwd })).stdout).toBe('1\n');
    expect((await runCli(['unarchive', '1'], { cwd })).stdout).toBe('workflow 1 tidy is in the lists\n');
    expect((await runCli(['status', '--output', 'quiet'], { cwd })).stdout).toBe('3\n1\n');
  });
});

describe('backup', () => {
  test('writes a copy that is a state of its own, for its owner alone', async () => {
    const cwd = await ran(1);
    expect(await runCli(['backup', 'copy/holdfast.db'], { cwd })).toMatchObject({ code: 2 });
    expect(await runCli(['backup', 'copy.db'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'wrote copy.db\n',
    });
    expect(statSync(join(cwd, 'copy.db')).mode & 0o777).toBe(0o600);
    const other = makeProject();
    const restored = join(other, '.holdfast');
    await runCli(['backup', join(other, 'holdfast.db')], { cwd });
    expect((await runCli(['status', '1', '--dir', other], { cwd })).stdout).toContain('tidy');
    expect(existsSync(restored)).toBe(false);
    expect(readdirSync(cwd).filter((name) => name.includes('draft'))).toEqual([]);
  });

  test('replaces nothing, and is refused where the state is elsewhere', async () => {
    const cwd = await ran(1);
    writeFileSync(join(cwd, 'precious'), 'text');
    const kept = await runCli(['backup', 'precious'], { cwd });
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining('exists already')]);
    expect(readFileSync(join(cwd, 'precious'), 'utf8')).toBe('text');
    const postgres = await runCli(['backup', 'x.db'], { cwd, env: { DATABASE_URL: 'postgres://h/d' } });
    expect([postgres.code, postgres.stderr]).toEqual([2, expect.stringContaining('pg_dump')]);
    const server = await runCli(['backup', 'x.db', '--server', 'http://127.0.0.1:1'], { cwd });
    expect([server.code, server.stderr]).toEqual([2, expect.stringContaining('machine of the server')]);
    const env = { HOLDFAST_SERVER: 'http://127.0.0.1:1' };
    expect((await runCli(['backup', 'x.db'], { cwd, env })).stderr).toContain(
      'HOLDFAST_SERVER: a backup is made where the state is; run it on the machine of the server; unset this variable to work here',
    );
    const empty = makeProject();
    expect(await runCli(['backup', 'x.db'], { cwd: empty })).toMatchObject({ code: 2 });
    expect(readdirSync(empty)).toEqual([]);
  });
});
