import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ServiceWorld, until } from './service-world.ts';

/** The engine of the moment. */
function through(current: () => Engine): Engine {
  return new Proxy({} as Engine, {
    get(_, name) {
      const engine = current();
      const value = Reflect.get(engine, name, engine) as unknown;
      return typeof value === 'function' ? value.bind(engine) : value;
    },
  });
}

test('nothing that a worker ran before an older copy of the database was restored is the result of another job', async (context) => {
  const world = await ServiceWorld.make(context, 3_000);
  let engine: Engine = world.engine;
  world.worker(
    {},
    through(() => engine),
  );
  await until('it is ready', () => world.log.includes('worker 1 is ready'));
  mkdirSync(join(world.dir, 'restored'), { mode: 0o700 });
  await world.engine.backup(join(world.dir, 'restored', 'holdfast.db'));
  await world.submit([{ name: 'gone', command: 'until [ -e go ]; do sleep 0.02; done; echo end >> ends' }]);
  await world.running();
  const restored = await openEngine({ dir: join(world.dir, 'restored'), create: false });
  context.onTestFinished(() => restored.close());
  const after = world.on(restored);
  // It has the number and the token of the job that nobody knows any more.
  await after.submit([{ name: 'other', command: 'exit 7' }]);
  engine = restored;
  await after.complete();
  expect(await after.attempts()).toMatchObject([
    { job_name: 'other', state: 'FAILED', exit_code: 7, worker_id: 2 },
  ]);
  expect(world.log).toContainEqual(expect.stringContaining('an older copy of it was restored'));
  expect(world.lines('ends')).toEqual([]);
});
