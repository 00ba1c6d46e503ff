import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import { RunWorker } from '../../src/worker/run-worker.ts';
import { type Fault, faultyEngine } from './faulty-engine.ts';
import { ServiceWorld, until } from './service-world.ts';

/** A worker for one workflow of an engine that is elsewhere, as `run --server --with-worker` has it. */
function lend(context: TestContext, world: ServiceWorld, workflowId: number, engine: Engine) {
  const worker = new RunWorker(engine, {
    workflowId,
    stateDir: join(world.dir, 'store'),
    baseDir: world.dir,
    cpus: 2,
    memoryBytes: 1e9,
    gpus: 0,
    maxParallel: 1,
    graceMs: 1000,
    keepWork: 'failed',
    sendLogs: true,
    narrate: (line) => world.log.push(line),
  });
  const ended = worker.run();
  context.onTestFinished(async () => {
    worker.kill();
    await ended.catch(() => {});
  });
  return { worker, ended };
}

test('a machine that is lent to a shared workflow works beside the others', async (context) => {
  const world = await ServiceWorld.make(context);
  const meeting = (name: string, other: string) => ({
    name,
    command: `touch ${name}.here; until [ -e ${other}.here ]; do sleep 0.02; done; echo ${name}`,
  });
  // Each ends only if the other runs at the same time, and each worker takes one.
  const id = await world.submit([meeting('a', 'b'), meeting('b', 'a')]);
  world.worker({ maxParallel: 1 });
  const { ended } = lend(context, world, id, world.engine);
  expect(await ended).toBe('complete');
  const attempts = await world.attempts(id);
  expect(attempts.map(({ state }) => state)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(new Set(attempts.map(({ worker_id }) => worker_id)).size).toBe(2);
  for (const job of ['a', 'b']) {
    const { data } = await world.engine.readLog(id, { job, stream: 'stdout' });
    expect(Buffer.from(data).toString()).toBe(`${job}\n`);
  }
});

test('it takes nothing of other workflows', async (context) => {
  const world = await ServiceWorld.make(context);
  const other = await world.submit([{ name: 'other', command: 'true' }]);
  const id = await world.submit([{ name: 'own', command: 'true' }]);
  expect(await lend(context, world, id, world.engine).ended).toBe('complete');
  expect(await world.jobs(other)).toMatchObject([{ status: 'ready' }]);
});

test('it puts up with a network that fails', async (context) => {
  const world = await ServiceWorld.make(context);
  const faults: Fault[] = ['request lost', 'answer lost', 'doubled', 'delayed', 'none'];
  let requests = 0;
  const engine = faultyEngine(world.engine, () => faults[requests++ % faults.length]!);
  const id = await world.submit(
    Array.from({ length: 5 }, (_, index) => ({ name: `job_${index}`, command: 'echo run >> runs' })),
  );
  expect(await lend(context, world, id, engine).ended).toBe('complete');
  expect(world.lines('runs')).toHaveLength(5);
});

test('when its lease was over it comes back as another worker, and what it ran is gone', async (context) => {
  const world = await ServiceWorld.make(context);
  const command = 'echo run >> runs; until [ -e go ]; do sleep 0.02; done';
  const id = await world.submit([
    { name: 'before', command: 'true' },
    { name: 'job', command, depends_on: ['before'] },
  ]);
  const { ended } = lend(context, world, id, world.engine);
  await until('the job has begun', () => world.lines('runs').length === 1);
  const [worker] = (await world.engine.listWorkers()).items;
  await world.engine.retireWorker(worker!.id);
  await until('the job has begun again', () => world.lines('runs').length === 2);
  writeFileSync(join(world.dir, 'go'), '');
  expect(await ended).toBe('complete');
  expect((await world.attempts(id)).map(({ state }) => state)).toEqual([
    'SUCCEEDED',
    'WORKER_FAILED',
    'SUCCEEDED',
  ]);
});

test('a run that another process ends before it is taken over is complete, and no error', async (context) => {
  const world = await ServiceWorld.make(context);
  const id = await world.submit([{ name: 'only', command: 'true' }], {}, false);
  const first = lend(context, world, id, world.engine);
  expect(await first.ended).toBe('complete');
  const second = lend(context, world, id, world.engine);
  expect(await second.ended).toBe('complete');
  expect(await world.attempts(id)).toHaveLength(1);
});
