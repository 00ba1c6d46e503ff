import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { modelOf } from '../engine/update-world.ts';
import { makeProject, runCli, startCli, until } from './run-cli.ts';

const SPEC = { name: 'w', jobs: [{ name: 'a', command: 'true' }] };

describe('run --continue', () => {
  test('takes the number of a workflow before or after the spec', async () => {
    const cwd = makeProject({ 'w.json': SPEC });
    await runCli(['run', 'w.json'], { cwd });
    for (const words of [
      ['w.json', '--continue'],
      ['w.json', '--continue', '1'],
      ['--continue', '1', 'w.json'],
    ]) {
      const { code, stderr } = await runCli(['run', ...words], { cwd });
      expect([code, stderr]).toEqual([0, expect.stringContaining('workflow 1: nothing changed')]);
    }
  });

  test.each([
    [
      'before the spec',
      ['--continue', 'w.json'],
      'w.json is not the number of a workflow; write the spec before',
    ],
    [
      'with a spec as its value',
      ['w.json', '--continue', 'w.json'],
      'w.json is not the number of a workflow',
    ],
    ['with a number instead of a spec', ['1', '--continue'], 'needs the edited spec'],
    ['of a workflow that is not there', ['w.json', '--continue', '7'], 'there is no workflow 7'],
  ])('%s is refused, with what to write', async (_, words, problem) => {
    const cwd = makeProject({ 'w.json': SPEC });
    await runCli(['run', 'w.json'], { cwd });
    const { code, stderr } = await runCli(['run', ...words], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect((await runCli(['status', '--output', 'quiet'], { cwd })).stdout).toBe('1\n');
  });
});

test('an update that is killed has changed everything or nothing', async () => {
  const size = 5_000;
  const spec = (version: number, other: string) => ({
    name: 'w',
    jobs: [
      { name: 'j_{i}', command: `work ${version} {i}`, parameters: { i: `1:${size}` } },
      { name: 'join', command: 'join', depends_on_regexes: ['^j_'] },
      { name: other, command: 'true', depends_on: ['join'] },
    ],
  });
  const cwd = makeProject();
  const dir = join(cwd, '.holdfast');
  // Closed after each use, so that the journal is empty and grows with what the update writes.
  const inEngine = async <T>(action: (engine: Engine) => Promise<T>): Promise<T> => {
    const engine = await openEngine({ dir, create: true });
    try {
      return await action(engine);
    } finally {
      await engine.close();
    }
  };
  await inEngine(async (engine) => {
    const model = modelOf(spec(1, 'old'));
    await engine.createWorkflow({ model, cwd, output_dir: join(cwd, 'output'), actor: 'test' });
    await engine.cancel(1, { actor: 'test' });
  });
  const written = () => statSync(join(dir, 'holdfast.db-wal'), { throwIfNoEntry: false })?.size ?? 0;

  writeFileSync(join(cwd, 'w.json'), JSON.stringify(spec(2, 'new')));
  const running = startCli(['update', '1', 'w.json'], { cwd });
  // The journal goes when the last connection closes: an update that was faster than this look has ended.
  await until(() => written() > 1_000_000 || running.child.exitCode !== null, 'it has written a part');
  running.child.kill('SIGKILL');
  await running.ended;
  await inEngine(async (engine) => {
    const model = modelOf(spec(2, 'new'));
    const { mode, counts } = await engine.updateWorkflow(1, { model, actor: 'test', dry_run: true });
    const { workflow } = await engine.status(1);
    const isOld = mode === 'new_run';
    expect(counts).toMatchObject(
      isOld ? { add: 1, remove: 1, run_again: size + 1, unchanged: 0 } : { unchanged: size + 2 },
    );
    expect([workflow.run_id, workflow.job_count]).toEqual([isOld ? 1 : 2, size + 2]);
  });
  // What was killed is done by the next one.
  expect(await runCli(['update', '1', 'w.json'], { cwd })).toMatchObject({ code: 0 });
  const again = await runCli(['update', '1', 'w.json'], { cwd });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('workflow 1: nothing changed')]);
});
