import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { NOTHING } from '../engine/engine-world.ts';
import { kill } from '../kill-process.ts';
import { ServiceWorld, until } from '../worker/service-world.ts';

const STARTS = 'echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID" >> starts';
/** Continues when it may. */
const WAIT = 'until [ -e go ]; do sleep 0.02; done';
/** Leaves its process group, its session and its parent, and does not listen to SIGTERM. */
const ESCAPE = `trap '' TERM; (setsid bash -c "trap '' TERM; while :; do sleep 0.1; done" &)`;

const letGo = (world: ServiceWorld) => writeFileSync(join(world.dir, 'go'), '');

/** A worker process with one job that has begun, and of which the store knows. */
async function atWork(world: ServiceWorld, job: object = {}) {
  const worker = world.program();
  await world.submit([{ name: 'job', command: `${STARTS}; ${WAIT}; echo end >> ends`, ...job }]);
  await until('the job has begun', () => world.lines('starts').length === 1);
  await world.running();
  return worker;
}

describe.concurrent('a worker that is killed and started again', () => {
  test('continues with its job, which runs once', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = await atWork(world);
    const jobs = world.jobProcesses();
    kill(first.child.pid!);
    await first.ended;
    const second = world.program();
    await until('it continues', () => second.output().includes('worker 1 resumes with 1 running'));
    expect(world.jobProcesses()).toEqual(expect.arrayContaining(jobs.slice(0, 1)));
    letGo(world);
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1']);
    expect(await world.attempts()).toMatchObject([{ state: 'SUCCEEDED', worker_id: 1, attempt_id: 1 }]);
    second.child.kill('SIGTERM');
    await second.ended;
    expect(second.output()).toContain('end: drained');
    await until('nothing is left', () => world.processes().length === 0);
  });

  test('reports how a job ended meanwhile, and sends its log', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = await atWork(world, {
      command: `${STARTS}; ${WAIT}; echo last words; echo end >> ends; exit 7`,
    });
    kill(first.child.pid!);
    await first.ended;
    letGo(world);
    await until('the job has ended', () => world.lines('ends').length === 1 && !world.jobProcesses().length);
    world.program();
    await world.complete();
    expect(await world.attempts()).toMatchObject([{ state: 'FAILED', exit_code: 7, worker_id: 1 }]);
    const { data } = await world.engine.readLog(1, { job: 'job', stream: 'stdout' });
    expect(Buffer.from(data).toString()).toBe('last words\n');
  });

  test.for(['while it runs', 'after its end'])('hears its post script %s', async (when, context) => {
    const world = await ServiceWorld.make(context);
    const worker = world.program();
    const post = `echo post >> posts; ${WAIT}; echo done >> ends; exit 42`;
    await world.submit([
      { name: 'job', command: `${STARTS}; exit 1`, post, retry: { max_retries_failure: 5 } },
    ]);
    await until('the post script has begun', () => world.lines('posts').length === 1);
    kill(worker.child.pid!);
    await worker.ended;
    if (when === 'after its end') {
      letGo(world);
      await until('it has ended', () => world.lines('ends').length === 1 && !world.jobProcesses().length);
    }
    const second = world.program();
    await until('it continues', () => second.output().includes('resumes with 1 running'));
    letGo(world);
    await world.complete();
    expect(world.lines('posts')).toEqual(['post']);
    expect(world.lines('starts')).toEqual(['job 1']);
    expect(await world.attempts()).toMatchObject([{ exit_code: 1, category: 'permanent' }]);
  });

  test('ends what the engine has taken back, and begins as another', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    kill(first.child.pid!);
    await first.ended;
    await world.engine.retireWorker(1);
    const [old] = world.jobProcesses();
    const second = world.program();
    await until('it is another', () => second.output().includes('worker 2 is ready'));
    expect(world.jobProcesses()).not.toContain(old);
    letGo(world);
    await world.complete();
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', worker_id: 1 },
      { state: 'SUCCEEDED', worker_id: 2 },
    ]);
  });

  test('after it was given up delivers what ended meanwhile, which is not repeated', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = await atWork(world);
    kill(first.child.pid!);
    await first.ended;
    await world.engine.loseWorker(1, { actor: 'ada' });
    letGo(world);
    await until('the job has ended', () => world.lines('ends').length === 1 && !world.jobProcesses().length);
    world.program();
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1']);
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', worker_id: 1 },
      { state: 'SUCCEEDED', worker_id: 1, reason: expect.stringContaining('reported late') },
    ]);
  });

  test('gives back what was claimed and never started, free of charge', async (context) => {
    const world = await ServiceWorld.make(context);
    await world.submit([{ name: 'job', command: STARTS }]);
    const { id, secret } = await world.engine.registerWorker(ownIdentity({ kind: 'service', cpus: 1 }));
    const capacity = { cpus: 1, memory_bytes: 1e9, gpus: 0, slots: 1, default_cpus: 1 };
    const { claims } = await world.engine.exchange(id, { ...NOTHING, capacity, seq: 1 });
    expect(claims).toHaveLength(1);
    mkdirSync(join(world.dir, 'worker'));
    writeFileSync(
      join(world.dir, 'worker', 'worker.json'),
      JSON.stringify({ worker_id: id, secret, server: '' }),
    );
    world.program();
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 2']);
    expect(await world.attempts()).toMatchObject([
      { cause: 'stopped', started_at_ms: null },
      { state: 'SUCCEEDED' },
    ]);
    expect(await world.jobs()).toMatchObject([{ failure_count: 0, preemption_count: 0 }]);
  });

  test('again and again, while jobs come and go, loses none and starts none twice', async (context) => {
    const world = await ServiceWorld.make(context);
    const journal = (word: string) => `echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID ${word}" >> journal`;
    await world.submit(
      Array.from({ length: 40 }, (_, index) => ({
        name: `job_${index}`,
        command: `${journal('begins')}; sleep 0.${1 + (index % 4)}; ${journal('ends')}`,
      })),
    );
    let worker = world.program();
    for (const reached of [5, 20, 40, 60]) {
      await until('jobs have begun and ended', () => world.lines('journal').length >= reached);
      kill(worker.child.pid!);
      await worker.ended;
      worker = world.program();
    }
    await world.complete();
    const lines = world.lines('journal');
    expect(new Set(lines).size, 'no attempt ran twice').toBe(lines.length);
    const attempts = await world.attempts();
    // What was claimed and not launched is given back; nothing that ran is repeated.
    const started = attempts.filter(({ started_at_ms }) => started_at_ms !== null);
    expect(started.map(({ state }) => state)).toEqual(Array(40).fill('SUCCEEDED'));
    expect(lines.filter((line) => line.endsWith('begins'))).toHaveLength(40);
  });
});

test('a job that kills its worker is charged each time, though the worker returns with empty state (R15)', async (context) => {
  const world = await ServiceWorld.make(context);
  await world.submit([
    {
      name: 'job',
      command:
        'echo run >> runs; kill -9 $(sed \'s/.*"pid":\\([0-9]*\\).*/\\1/\' worker/workers/*.lock); sleep 60',
      retry: { max_retries_preemption: 2 },
    },
  ]);
  for (let run = 1; run <= 3; run += 1) {
    const worker = world.program();
    await until('it has been killed', () => worker.child.signalCode === 'SIGKILL');
    rmSync(join(world.dir, 'worker'), { recursive: true });
    // No worker can take these jobs over any more.
    await until('its processes are gone', () => world.processes().length === 0);
  }
  world.program();
  await world.complete();
  expect(world.lines('runs')).toHaveLength(3);
  expect(await world.attempts()).toMatchObject(Array(3).fill({ state: 'WORKER_FAILED' }));
  expect(await world.jobs()).toMatchObject([{ status: 'failed', failure_count: 0, preemption_count: 3 }]);
});

describe.concurrent('a worker whose lease ends', () => {
  const LEASE_MS = 4_000;

  test('because it is stopped finds its processes gone, and its report is refused', async (context) => {
    const world = await ServiceWorld.make(context, LEASE_MS);
    const worker = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}; echo end >> ends` });
    await world.halt(worker.child.pid!);
    await until('its processes are gone', () => world.jobProcesses().length === 0);
    // It was the launcher, before anybody else could be given the job.
    expect((await world.engine.listWorkers()).items).toMatchObject([{ id: 1, alive: true }]);
    await until('the lease is over', async () => (await world.engine.sweep()) === 1);
    expect(await world.jobs()).toMatchObject([{ status: 'ready', preemption_count: 1 }]);
    await expect(world.engine.exchange(1, { ...NOTHING, seq: 1_000 })).rejects.toMatchObject({
      code: 'WORKER_RETIRED',
    });
    kill(worker.child.pid!, 'SIGCONT');
    await until('it is there again', () => worker.output().includes('worker 2 is ready'));
    expect(worker.output()).toContain('worker 1 has been retired');
    letGo(world);
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1', 'job 2']);
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', worker_id: 1 },
      { state: 'SUCCEEDED', worker_id: 2 },
    ]);
  });

  test('because it and its launcher are stopped finds its processes gone as well', async (context) => {
    const world = await ServiceWorld.make(context, LEASE_MS);
    const worker = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    const stopped = [...world.launchers(), worker.child.pid!];
    await world.halt(...stopped);
    await until('its processes are gone', () => world.jobProcesses().length === 0);
    await until('the lease is over', async () => (await world.engine.sweep()) === 1);
    letGo(world);
    for (const pid of stopped) kill(pid, 'SIGCONT');
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1', 'job 2']);
    expect(await world.attempts()).toMatchObject([{ cause: 'lost' }, { state: 'SUCCEEDED', worker_id: 2 }]);
  });

  test('because it is dead takes its jobs and its launchers with it', async (context) => {
    const world = await ServiceWorld.make(context, LEASE_MS);
    const worker = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    kill(worker.child.pid!);
    await worker.ended;
    expect(world.jobProcesses().length).toBeGreaterThan(0);
    await until('everything is gone', () => world.processes().length === 0);
    expect(existsSync(join(world.dir, 'ends'))).toBe(false);
  });

  test('and whose server comes back too late has its jobs run again', async (context) => {
    const world = await ServiceWorld.make(context, LEASE_MS);
    const worker = await atWork(world);
    kill(worker.child.pid!);
    await worker.ended;
    await until('everything is gone', () => world.processes().length === 0);
    // Nobody has noticed: the lease is over, but the worker was not given up.
    const second = world.program();
    await until('it continues', () => second.output().includes('worker 1 resumes'));
    letGo(world);
    await world.complete();
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', worker_id: 1, cause: 'lost' },
      { state: 'SUCCEEDED', worker_id: 1 },
    ]);
  });
});

describe.concurrent('kill -9', () => {
  test('of a launcher makes its jobs lost, and the worker continues with another', async (context) => {
    const world = await ServiceWorld.make(context);
    await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    for (const pid of world.launchers()) kill(pid);
    await until('the job has begun again', () => world.lines('starts').length === 2);
    letGo(world);
    await world.complete();
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', cause: 'lost', worker_id: 1 },
      { state: 'SUCCEEDED', worker_id: 1 },
    ]);
  });

  test('of a launcher that was taken over is noticed as well', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    const launchers = world.launchers();
    kill(first.child.pid!);
    await first.ended;
    const second = world.program();
    await until('it continues', () => second.output().includes('resumes with 1 running'));
    for (const pid of launchers) kill(pid);
    await until('the job has begun again', () => world.lines('starts').length === 2);
    letGo(world);
    await world.complete();
    expect(await world.attempts()).toMatchObject([{ cause: 'lost' }, { state: 'SUCCEEDED' }]);
  });

  test('of the worker and its launcher leaves no process of a job; the next worker has it run again', async (context) => {
    const world = await ServiceWorld.make(context);
    const worker = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    for (const pid of [worker.child.pid!, ...world.launchers()]) kill(pid);
    await until('its processes are gone', () => world.jobProcesses().length === 0);
    letGo(world);
    world.program();
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1', 'job 2']);
    expect(await world.attempts()).toMatchObject([
      { cause: 'lost', worker_id: 1 },
      { state: 'SUCCEEDED', worker_id: 1 },
    ]);
  });

  test('of the worker while its launcher is stopped: the next one ends what does not answer', async (context) => {
    const world = await ServiceWorld.make(context);
    const worker = await atWork(world, { command: `${STARTS}; ${ESCAPE}; ${WAIT}` });
    await world.halt(...world.launchers());
    kill(worker.child.pid!);
    await worker.ended;
    const old = world.jobProcesses();
    world.program();
    await until('the job has begun again', () => world.lines('starts').length === 2);
    expect(world.jobProcesses().filter((pid) => old.includes(pid))).toEqual([]);
    letGo(world);
    await world.complete();
    expect(await world.attempts()).toMatchObject([{ cause: 'lost' }, { state: 'SUCCEEDED' }]);
  });
});

describe.concurrent('SIGTERM', () => {
  test('once drains, twice stops', async (context) => {
    const world = await ServiceWorld.make(context);
    const worker = await atWork(world);
    worker.child.kill('SIGTERM');
    await until('it drains', () => worker.output().includes('draining'));
    worker.child.kill('SIGTERM');
    await worker.ended;
    expect(worker.output()).toContain('end: stopped');
    expect(await world.jobs()).toMatchObject([{ status: 'ready', preemption_count: 0 }]);
    expect(world.processes()).toEqual([]);
  });

  test('does not let two workers into one directory', async (context) => {
    const world = await ServiceWorld.make(context);
    const worker = await atWork(world);
    const second = world.program();
    await second.ended;
    expect(second.output()).toMatch(
      new RegExp(`error: process ${worker.child.pid} on .* is a worker in .*worker already`),
    );
    await world.halt(worker.child.pid!);
    const third = world.program();
    await third.ended;
    expect(third.output()).toContain('is a worker in');
    kill(worker.child.pid!, 'SIGCONT');
    letGo(world);
    await world.complete();
    expect(world.lines('starts')).toEqual(['job 1']);
  });
});
