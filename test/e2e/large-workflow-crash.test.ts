import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { all } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { until } from '../cli/run-cli.ts';
import { kill } from '../kill-process.ts';
import { makeWorld, type World } from './world.ts';

const COUNT = 50_000;

async function jobsIn(world: World): Promise<number> {
  const path = join(world.dir, '.holdfast', 'holdfast.db');
  if (!existsSync(path)) return 0;
  const store = new SqliteStore(path);
  try {
    const rows = await store.read(() => all<{ count: number }>('select count(*) as count from job'));
    return rows[0]!.count;
  } finally {
    await store.close();
  }
}

test('kill -9 of a process that stores a large workflow leaves nothing to see, and nothing of it in the end', async (context) => {
  const job = { name: 'job_{i}', command: 'true', parameters: { i: `1:${COUNT}` } };
  const world = makeWorld(context, {
    'large.json': { name: 'large', jobs: [job] },
    'small.json': { name: 'small', jobs: [{ name: 'only', command: 'true' }] },
  });
  const run = world.start('run', 'large.json');
  await until(async () => (await jobsIn(world)) > 0, 'a part of the workflow is stored', 60_000);
  kill(run.child.pid!);
  await run.ended;
  const stored = await jobsIn(world);
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(COUNT);

  const status = await world.run('status');
  expect(`${status.stdout}${status.stderr}`).toContain('no workflows yet');
  const small = await world.run('run', 'small.json');
  expect(small.code).toBe(0);

  const engine = await openEngine({
    dir: join(world.dir, '.holdfast'),
    create: false,
    clock: () => Date.now() + 61_000,
  });
  // A sweep waits a second for the removal, which then continues beside it.
  do await engine.sweep();
  while ((await jobsIn(world)) > 1);
  await engine.close();
  expect(await jobsIn(world)).toBe(1);
});
