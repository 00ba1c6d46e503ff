import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fault, faultyEngine } from './faulty-engine.ts';
import { ServiceWorld, until } from './service-world.ts';

/** Says that it has begun, and continues when it may. */
const HELD = 'echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID" >> starts; until [ -e go ]; do sleep 0.02; done';

function letGo(world: ServiceWorld): void {
  writeFileSync(join(world.dir, 'go'), '');
}

/** Numbers in [0, 1) that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a service worker', () => {
  test('runs jobs of shared workflows, seen from where it was started, and leaves when drained', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker();
    await world.submit([
      { name: 'a', command: 'echo hello; pwd > where' },
      { name: 'b', command: 'cat where', depends_on: ['a'] },
    ]);
    await world.complete();
    expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(world.lines('where')).toEqual([world.dir]);
    expect(existsSync(join(world.dir, 'output', 'job_stdio'))).toBe(true);
    worker.drain();
    expect(await ended).toBe('drained');
    expect((await world.engine.listWorkers()).items).toMatchObject([{ state: 'retired', kind: 'service' }]);
    expect(existsSync(join(world.dir, 'worker', 'worker.json'))).toBe(false);
  });

  test('leaves workflows alone that are not shared', async (context) => {
    const world = await ServiceWorld.make(context);
    const own = await world.submit([{ name: 'own', command: 'echo own >> ran' }], {}, false);
    const shared = await world.submit([{ name: 'shared', command: 'echo shared >> ran' }]);
    const { worker, ended } = world.worker();
    await world.complete(shared);
    worker.drain();
    await ended;
    expect(world.lines('ran')).toEqual(['shared']);
    expect(await world.jobs(own)).toMatchObject([{ status: 'ready' }]);
  });

  test('that was given up while it was cut off still delivers its success, and then comes as another', async (context) => {
    const world = await ServiceWorld.make(context);
    let isCutOff = false;
    const network = faultyEngine(world.engine, () => (isCutOff ? 'request lost' : 'none'));
    world.worker({}, network);
    await world.submit([
      { name: 'a', command: `${HELD}; echo done; echo end >> ends` },
      { name: 'b', command: 'true', depends_on: ['a'] },
    ]);
    await world.running();
    isCutOff = true;
    letGo(world);
    await until('the job has ended', () => world.lines('ends').length === 1);
    await until('nothing can be reported', () =>
      world.log.some((line) => line.includes('the network is down')),
    );
    await world.engine.loseWorker(1, { actor: 'ada' });
    isCutOff = false;
    await world.complete();
    expect(world.lines('starts')).toEqual(['a 1']);
    expect(await world.attempts()).toMatchObject([
      { job_name: 'a', state: 'WORKER_FAILED', worker_id: 1 },
      { job_name: 'a', state: 'SUCCEEDED', worker_id: 1, reason: expect.stringContaining('reported late') },
      { job_name: 'b', state: 'SUCCEEDED', worker_id: 2 },
    ]);
    const { data } = await world.engine.readLog(1, { job: 'a', stream: 'stdout' });
    expect(Buffer.from(data).toString()).toBe('done\n');
  });

  test('that is drained lets its jobs end and takes nothing more', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker({ maxParallel: 1 });
    await world.submit([
      { name: 'first', command: HELD },
      { name: 'second', command: HELD, depends_on: ['first'] },
    ]);
    await world.running();
    worker.drain();
    letGo(world);
    expect(await ended).toBe('drained');
    expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'ready']);
    expect(world.lines('starts')).toEqual(['first 1']);
  });

  test('is drained by word of the engine', async (context) => {
    const world = await ServiceWorld.make(context);
    const { ended } = world.worker();
    await world.submit([{ name: 'job', command: HELD }]);
    await world.running();
    const [record] = (await world.engine.listWorkers()).items;
    await world.engine.drainWorker(record!.id, { actor: 'tester' });
    letGo(world);
    expect(await ended).toBe('drained');
    expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed']);
  });

  test('stops what still runs when the time for draining is over; it is free of charge', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker({ drainTimeoutMs: 50 });
    await world.submit([{ name: 'job', command: HELD }]);
    await world.running();
    worker.drain();
    expect(await ended).toBe('stopped');
    expect(await world.jobs()).toMatchObject([
      { status: 'ready', failure_count: 0, preemption_count: 0, attempt_id: 2 },
    ]);
    expect(await world.attempts()).toMatchObject([{ cause: 'stopped' }]);
    letGo(world);
    world.worker({ stateDir: join(world.dir, 'another') });
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1', 'job 2']);
  });

  test('that is killed leaves no process, and its jobs are free for others', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker({ graceMs: 60_000 });
    await world.submit([{ name: 'job', command: `trap '' TERM; ${HELD}` }]);
    await until('the job has begun', () => world.lines('starts').length === 1);
    await world.running();
    worker.stop();
    worker.kill();
    expect(await ended).toBe('stopped');
    expect(world.jobProcesses()).toEqual([]);
    expect(await world.jobs()).toMatchObject([{ status: 'ready' }]);
  });

  test('sends the logs of its attempts, the last part of large ones', async (context) => {
    const world = await ServiceWorld.make(context);
    world.worker();
    await world.submit([
      { name: 'small', command: 'echo out; echo err >&2; exit 3' },
      { name: 'large', command: 'head -c 400000 /dev/zero | tr "\\0" x; echo; echo the end' },
    ]);
    await world.complete();
    const read = async (job: string, stream: 'stdout' | 'stderr') => {
      const { data, ...rest } = await world.engine.readLog(1, { job, stream });
      return { text: Buffer.from(data).toString(), ...rest };
    };
    expect(await read('small', 'stdout')).toMatchObject({ text: 'out\n', offset: 0, ended: true });
    expect(await read('small', 'stderr')).toMatchObject({ text: 'err\n', ended: true });
    const large = await read('large', 'stdout');
    expect(large.size).toBe(400_000 + '\nthe end\n'.length);
    expect(large.text.endsWith('x\nthe end\n')).toBe(true);
    expect(large.text).toHaveLength(256 * 1024);
  });

  test('sends what is new while a client reads', async (context) => {
    const world = await ServiceWorld.make(context);
    world.worker();
    await world.submit([{ name: 'job', command: `echo before; ${HELD}; echo after` }]);
    await world.running();
    const text = async () => {
      const { data } = await world.engine.readLog(1, { job: 'job', stream: 'stdout', follow: true });
      return Buffer.from(data).toString();
    };
    await until('the first line arrives', async () => (await text()) === 'before\n');
    expect((await world.jobs())[0]!.status).toBe('running');
    letGo(world);
    await world.complete();
    expect(await text()).toBe('before\nafter\n');
  });

  test('is refused where another one works, and says which', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = world.worker();
    await until('the first is ready', () => world.log.includes('worker 1 is ready'));
    await expect(world.worker().ended).rejects.toMatchObject({
      code: 'WORKER_ACTIVE',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    first.worker.drain();
    expect(await first.ended).toBe('drained');
    const second = world.worker();
    await until('the second is ready', () => world.log.includes('worker 2 is ready'));
    second.worker.drain();
    expect(await second.ended).toBe('drained');
  });
});

describe('a network that fails', () => {
  test('for a while costs nothing: jobs continue, and their ends are reported afterwards', async (context) => {
    const world = await ServiceWorld.make(context);
    let isAway = false;
    let refused = 0;
    const engine = faultyEngine(world.engine, () => {
      if (isAway) refused += 1;
      return isAway ? 'request lost' : 'none';
    });
    world.worker({}, engine);
    await world.submit([{ name: 'job', command: `${HELD}; echo done >> ends` }]);
    await world.running();
    isAway = true;
    letGo(world);
    await until('the job has ended', () => world.lines('ends').length === 1);
    await until('the worker has tried several times', () => refused >= 3);
    expect((await world.jobs())[0]!.status).toBe('running');
    isAway = false;
    await world.complete();
    expect(await world.attempts()).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(world.log.filter((line) => line.includes('cannot reach'))).toHaveLength(1);
    expect(world.log).toContain('the server answers again');
  });

  test('from the beginning is waited for, and a worker that has to leave does', async (context) => {
    const world = await ServiceWorld.make(context);
    const engine = faultyEngine(world.engine, () => 'request lost');
    const { worker, ended } = world.worker({}, engine);
    await until('it has said so', () => world.log.some((line) => line.includes('cannot reach')));
    worker.drain();
    expect(await ended).toBe('drained');
    expect((await world.engine.listWorkers()).items).toEqual([]);
  });

  test('for good does not keep an idle worker that has to drain', async (context) => {
    const world = await ServiceWorld.make(context);
    let isAway = false;
    const engine = faultyEngine(world.engine, () => (isAway ? 'request lost' : 'none'));
    const { worker, ended } = world.worker({ drainTimeoutMs: 3_600_000, lastWordsMs: 100 }, engine);
    await until('it is there', () => world.log.some((line) => line.includes('is ready')));
    isAway = true;
    worker.drain();
    expect(await ended).toBe('stopped');
    expect(world.log.at(-1)).toContain('the server does not answer');
  });

  test('for good does not keep a worker that has to stop', async (context) => {
    const world = await ServiceWorld.make(context);
    let isAway = false;
    const engine = faultyEngine(world.engine, () => (isAway ? 'request lost' : 'none'));
    const { worker, ended } = world.worker({}, engine);
    await world.submit([{ name: 'job', command: HELD }]);
    await world.running();
    isAway = true;
    worker.stop();
    worker.kill();
    expect(await ended).toBe('stopped');
    expect(world.jobProcesses()).toEqual([]);
  });

  test.for([1, 2, 3])('now and then, in every way, changes nothing (seed %i)', async (seed, context) => {
    const world = await ServiceWorld.make(context);
    const random = randomFrom(seed * 7919);
    const faults: Fault[] = ['none', 'request lost', 'answer lost', 'doubled', 'delayed'];
    const seen = new Set<Fault>();
    const engine = faultyEngine(world.engine, () => {
      const fault = faults[Math.floor(random() * faults.length)]!;
      seen.add(fault);
      return fault;
    });
    for (const name of ['one', 'two']) {
      world.worker({ stateDir: join(world.dir, name), maxParallel: 3 }, engine);
    }
    const journal = (word: string) => `echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID ${word}" >> journal`;
    await world.submit(
      Array.from({ length: 30 }, (_, index) => ({
        name: `job_${index}`,
        command: `${journal('begins')}; [ $HOLDFAST_ATTEMPT_ID -gt ${index % 3} ] || exit 1; ${journal('ends')}`,
        depends_on: index < 10 ? [] : [`job_${index - 10}`],
        retry: { max_retries_failure: 2, initial_retry_delay_ms: 20 },
      })),
    );
    await world.complete();
    expect((await world.jobs()).every(({ status }) => status === 'completed')).toBe(true);
    const expected = Array.from({ length: 30 }, (_, index) => 1 + (index % 3));
    expect((await world.jobs()).map(({ attempt_id }) => attempt_id)).toEqual(expected);
    const lines = world.lines('journal');
    expect(new Set(lines).size, 'no attempt ran twice').toBe(lines.length);
    expect(lines.filter((line) => line.endsWith('begins'))).toHaveLength(expected.reduce((a, b) => a + b));
    expect(seen.size).toBe(faults.length);
  });
});

test('a worker that the engine has given up ends all it runs, and comes back as another', async (context) => {
  const world = await ServiceWorld.make(context);
  world.worker();
  await world.submit([{ name: 'job', command: `echo $$ >> pids; ${HELD}` }]);
  await until('the job has begun', () => world.lines('starts').length === 1);
  await world.running();
  await world.engine.retireWorker(1);
  await until('the worker is there again', () => world.log.includes('worker 2 is ready'));
  await until('the job has begun again', () => world.lines('starts').length === 2);
  const [first] = world.lines('pids');
  expect(existsSync(`/proc/${first}`) && readFileSync(`/proc/${first}/cmdline`, 'utf8')).toBeFalsy();
  letGo(world);
  await world.complete();
  expect(await world.attempts()).toMatchObject([
    { worker_id: 1, state: 'WORKER_FAILED' },
    { worker_id: 2, state: 'SUCCEEDED' },
  ]);
});
