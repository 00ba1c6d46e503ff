import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ServiceWorkerOptions } from '../../src/worker/service-options.ts';
import { kill } from '../kill-process.ts';
import { faultyEngine } from './faulty-engine.ts';
import { ServiceWorld, until } from './service-world.ts';

const HOUR = 3_600_000;
/** Longer than any test. */
const FOR_EVER = 600_000;

/** Says that it has begun, and continues when it may. */
const HELD = 'echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID" >> starts; until [ -e go ]; do sleep 0.02; done';

function letGo(world: ServiceWorld): void {
  writeFileSync(join(world.dir, 'go'), '');
}

/** An allocation that ends when the test says. */
class TestAllocation {
  endsAt: number | null = Date.now() + HOUR;
  now = () => Date.now();

  options(
    more: Partial<NonNullable<ServiceWorkerOptions['allocation']>> = {},
    own: object = {},
  ): Partial<ServiceWorkerOptions> {
    return {
      allocation: {
        own: {
          cluster: 'slurm',
          id: '4711',
          node: 0,
          nodeName: 'n1',
          nodes: 1,
          cpus: 4,
          memoryBytes: null,
          gpus: 0,
          restarts: 0,
          site: 'test',
          killWaitMs: 30_000,
          endsAt: async () => this.endsAt,
          ...own,
        },
        tag: 'holdfast-1',
        takeUntilMs: 60_000,
        endBeforeMs: 30_000,
        graceMs: 5_000,
        holdBackMs: FOR_EVER,
        askEveryMs: 20,
        now: () => this.now(),
        ...more,
      },
    };
  }
}

/** As a cluster does it: everything gets the signal, the worker as well as what it has started. */
function endAllocation(world: ServiceWorld, worker: { lose(): void }): void {
  const pids = world.jobProcesses();
  worker.lose();
  for (const pid of pids) kill(pid, 'SIGTERM');
}

/** A plain worker runs what is left. */
async function finishElsewhere(world: ServiceWorld): Promise<void> {
  letGo(world);
  world.worker({ stateDir: join(world.dir, 'another') });
  await world.complete();
}

/** The workflow has begun, and nothing of it runs any more. */
async function hasEnded(world: ServiceWorld, file: string): Promise<void> {
  await until('the command has ended', () => {
    return world.lines(file).length > 0 && world.jobProcesses().length === 0;
  });
  // The launcher has reported by now, or will before the word of the end.
  await sleep(100);
}

describe('the end of an allocation', () => {
  test.for([
    ['exits with 0 on SIGTERM', `trap 'exit 0' TERM; ${HELD}`],
    ['fails on SIGTERM', `trap 'exit 7' TERM; ${HELD}`],
    ['is killed by SIGTERM', HELD],
    ['ignores SIGTERM', `trap '' TERM; ${HELD}`],
  ] as const)('loses an attempt that %s, and charges no failure', async ([, command], context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker(new TestAllocation().options({ graceMs: 300 }));
    await world.submit([{ name: 'job', command }]);
    await until('the job has begun', () => world.lines('starts').length === 1);
    await world.running();
    endAllocation(world, worker);
    expect(await ended).toBe('stopped');
    expect(world.jobProcesses()).toEqual([]);
    expect(await world.jobs()).toMatchObject([{ status: 'ready', failure_count: 0, preemption_count: 1 }]);
    expect((await world.engine.listWorkers()).items).toMatchObject([{ state: 'retired' }]);
    await finishElsewhere(world);
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', cause: 'lost', outcome: { allocation_ended: true } },
      { state: 'SUCCEEDED' },
    ]);
  });

  test.for([
    ['succeeded', 'echo end >> ends'],
    ['failed', 'echo end >> ends; exit 7'],
  ] as const)('loses an attempt that %s just before', async ([, command], context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker(new TestAllocation().options());
    await world.submit([{ name: 'job', command: `[ -e ends ] || { ${command}; }` }]);
    await hasEnded(world, 'ends');
    expect(await world.jobs()).toMatchObject([{ status: 'running' }]);
    endAllocation(world, worker);
    await ended;
    expect(await world.jobs()).toMatchObject([{ status: 'ready', failure_count: 0, preemption_count: 1 }]);
    await finishElsewhere(world);
    expect(await world.attempts()).toMatchObject([{ cause: 'lost' }, { state: 'SUCCEEDED' }]);
  });

  test('believes what ended longer before', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker(new TestAllocation().options({ holdBackMs: 50 }));
    await world.submit([
      { name: 'good', command: 'true' },
      { name: 'bad', command: 'exit 7' },
      { name: 'last', command: HELD },
    ]);
    await until('two are reported', async () => {
      const { counts } = await world.engine.status(1);
      return counts.completed === 1 && counts.failed === 1;
    });
    await until('the job has begun', () => world.lines('starts').length === 1);
    endAllocation(world, worker);
    await ended;
    const jobs = (await world.jobs()).map(({ name, status }) => [name, status]);
    expect(jobs).toEqual([
      ['good', 'completed'],
      ['bad', 'failed'],
      ['last', 'ready'],
    ]);
  });

  test('is a timeout for the jobs if the time of the allocation is over', async (context) => {
    const world = await ServiceWorld.make(context);
    const allocation = new TestAllocation();
    // The cluster is late, as it may be, and the worker has not been signalled to end its jobs before.
    const options = allocation.options({ takeUntilMs: 0, endBeforeMs: 0, askEveryMs: FOR_EVER });
    const { worker, ended } = world.worker(options);
    await world.submit([{ name: 'job', command: `trap 'exit 0' TERM; ${HELD}` }]);
    await until('the job has begun', () => world.lines('starts').length === 1);
    await world.running();
    allocation.now = () => Date.now() + HOUR + 1000;
    endAllocation(world, worker);
    await ended;
    expect(await world.attempts()).toMatchObject([{ cause: 'timeout', match_code: 152 }]);
    expect(await world.jobs()).toMatchObject([{ status: 'terminated', failure_count: 1 }]);
  });

  test('loses an attempt whose post script runs, whatever the script does then', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker(new TestAllocation().options({ holdBackMs: 20 }));
    const post = `trap 'exit 0' TERM; echo x >> judged; until [ -e go ]; do sleep 0.02; done`;
    await world.submit([{ name: 'job', command: 'echo end >> ends', post: { command: post } }]);
    await until('the post script runs', () => world.lines('judged').length === 1);
    endAllocation(world, worker);
    await ended;
    expect(await world.jobs()).toMatchObject([{ status: 'ready', failure_count: 0, preemption_count: 1 }]);
    await finishElsewhere(world);
    expect(world.lines('ends')).toHaveLength(2);
    expect(await world.attempts()).toMatchObject([{ cause: 'lost' }, { state: 'SUCCEEDED' }]);
  });

  test('gives back what was claimed and not begun, free of charge', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker(new TestAllocation().options());
    await world.submit([{ name: 'job', command: HELD, ports: ['web'] }]);
    worker.lose();
    await ended;
    for (const job of await world.jobs()) expect(job.failure_count).toBe(0);
    await finishElsewhere(world);
  });

  test('ends the worker although the server does not answer', async (context) => {
    const world = await ServiceWorld.make(context);
    let isAway = false;
    const engine = faultyEngine(world.engine, () => (isAway ? 'request lost' : 'none'));
    const options = new TestAllocation().options({ graceMs: 100 }, { killWaitMs: 1000 });
    const { worker, ended } = world.worker(options, engine);
    await world.submit([{ name: 'job', command: HELD }]);
    await world.running();
    isAway = true;
    endAllocation(world, worker);
    expect(await ended).toBe('stopped');
    expect(world.jobProcesses()).toEqual([]);
    expect(world.log.at(-1)).toContain('the server does not answer');
  });

  test('is obeyed once: a second signal changes nothing, and a later drain neither', async (context) => {
    const world = await ServiceWorld.make(context);
    const { worker, ended } = world.worker(new TestAllocation().options());
    await world.submit([{ name: 'job', command: `trap 'echo reported >> reported' TERM; ${HELD}` }]);
    await until('the job has begun', () => world.lines('starts').length === 1);
    worker.lose();
    worker.lose();
    worker.drain();
    worker.stop();
    letGo(world);
    await ended;
    expect(world.log.filter((line) => line.includes('allocation'))).toHaveLength(1);
    expect(await world.attempts()).toMatchObject([{ cause: 'lost' }]);
  });
});

describe('the time of an allocation', () => {
  test('ends jobs as timed out before it is over, and the worker leaves', async (context) => {
    const world = await ServiceWorld.make(context);
    const allocation = new TestAllocation();
    const { ended } = world.worker(allocation.options({ holdBackMs: 20 }));
    await world.submit([
      { name: 'long', command: HELD },
      { name: 'next', command: 'true', depends_on: ['long'] },
    ]);
    await until('the job has begun', () => world.lines('starts').length === 1);
    await world.running();
    allocation.endsAt = Date.now() + 29_000;
    expect(await ended).toBe('stopped');
    expect(await world.attempts()).toMatchObject([{ cause: 'timeout', match_code: 152 }]);
    expect((await world.attempts())[0]!.outcome).not.toHaveProperty('time_limit_ms');
    expect(world.log).toContain('the time of the allocation is over: ending the running jobs');
  });

  test('lets jobs end that began before nothing more is taken', async (context) => {
    const world = await ServiceWorld.make(context);
    const allocation = new TestAllocation();
    const { ended } = world.worker({ ...allocation.options({ holdBackMs: 20 }), maxParallel: 1 });
    await world.submit([
      { name: 'first', command: HELD, priority: 1 },
      { name: 'second', command: HELD },
    ]);
    await world.running();
    allocation.endsAt = Date.now() + 59_000;
    await until('nothing is taken', () => world.log.some((line) => line.includes('ends soon')));
    letGo(world);
    expect(await ended).toBe('drained');
    expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'ready']);
  });

  test('that is short is not for long jobs', async (context) => {
    const world = await ServiceWorld.make(context);
    const allocation = new TestAllocation();
    allocation.endsAt = Date.now() + 600_000;
    const { worker, ended } = world.worker(allocation.options({ holdBackMs: 20 }));
    await world.submit(
      [
        { name: 'short', command: 'true', resource_requirements: 'short' },
        { name: 'long', command: 'true', resource_requirements: 'long' },
      ],
      {
        resource_requirements: [
          { name: 'short', num_cpus: 1, memory: '1m', runtime: 'PT1M' },
          { name: 'long', num_cpus: 1, memory: '1m', runtime: 'PT2H' },
        ],
      },
    );
    await until('the short one is done', async () => (await world.jobs())[0]!.status === 'completed');
    expect((await world.jobs())[1]!.status).toBe('ready');
    worker.drain();
    await ended;
  });
});

describe('a worker for one workflow', () => {
  test('leaves when it is complete, and takes nothing of others', async (context) => {
    const world = await ServiceWorld.make(context);
    await world.submit([{ name: 'other', command: 'echo other >> ran' }]);
    const own = await world.submit([{ name: 'own', command: 'echo own >> ran' }]);
    const { ended } = world.worker({ workflowId: own });
    expect(await ended).toBe('drained');
    expect(world.lines('ran')).toEqual(['own']);
    expect((await world.engine.status(own)).complete).toBe(true);
  });

  test('hears of what becomes ready, and of the end that others brought about', async (context) => {
    const world = await ServiceWorld.make(context);
    const own = await world.submit([
      { name: 'a', command: HELD, labels: ['elsewhere'] },
      { name: 'b', command: 'echo b >> ran', depends_on: ['a'] },
      { name: 'c', command: 'true', depends_on: ['b'], labels: ['elsewhere'] },
    ]);
    const { ended } = world.worker({ workflowId: own });
    world.worker({ stateDir: join(world.dir, 'another'), labels: ['elsewhere'], maxParallel: 1 });
    letGo(world);
    expect(await ended).toBe('drained');
    expect((await world.engine.status(own)).complete).toBe(true);
  });

  test('leaves when it is stopped', async (context) => {
    const world = await ServiceWorld.make(context);
    const own = await world.submit([{ name: 'job', command: HELD }]);
    const { ended } = world.worker({ workflowId: own });
    await world.running();
    await world.engine.stopWorkflow(own, { actor: 'ada' });
    expect(await ended).toBe('drained');
    expect(await world.attempts()).toMatchObject([{ cause: 'stopped' }]);
  });

  test('stays for more with --stay', async (context) => {
    const world = await ServiceWorld.make(context);
    const own = await world.submit([{ name: 'job', command: 'exit 3' }]);
    const { worker, ended } = world.worker({ workflowId: own, stays: true });
    await world.complete(own);
    await world.engine.retryJob(own, 1, { actor: 'ada' });
    await until('it ran again', async () => (await world.attempts(own)).length === 2);
    worker.drain();
    expect(await ended).toBe('drained');
  });
});

describe('a worker without work', () => {
  test('leaves after its idle time when the server does not answer, before and after it came', async (context) => {
    const world = await ServiceWorld.make(context);
    let isAway = true;
    let exchanges = 0;
    const engine = faultyEngine(world.engine, (method) => {
      if (method === 'exchange') exchanges += 1;
      return isAway || exchanges > 1 ? 'request lost' : 'none';
    });
    const never = world.worker({ idleMs: 50, reachWithinMs: 200 }, engine);
    expect(await never.ended).toBe('drained');
    expect(world.log.at(-1)).toBe('nothing to do for 200ms: leaving');
    isAway = false;
    const once = world.worker({ idleMs: 300, reachWithinMs: 60_000, lastWordsMs: 100 }, engine);
    await once.ended;
    expect(world.log).toContain('nothing to do for 300ms: leaving');
  });

  test('leaves after its idle time, and not while a job runs', async (context) => {
    const world = await ServiceWorld.make(context);
    await world.submit([{ name: 'job', command: HELD }]);
    const { ended } = world.worker({ idleMs: 200 });
    await world.running();
    await sleep(600);
    expect(await world.jobs()).toMatchObject([{ status: 'running' }]);
    letGo(world);
    expect(await ended).toBe('drained');
    expect(await world.jobs()).toMatchObject([{ status: 'completed' }]);
    expect(world.log.at(-1)).toBe('nothing to do for 200ms: leaving');
  });
});

test('an allocation with several nodes takes jobs that need them, one with a single node does not', async (context) => {
  const world = await ServiceWorld.make(context);
  await world.submit([{ name: 'wide', command: 'true', resource_requirements: 'wide' }], {
    resource_requirements: [{ name: 'wide', num_cpus: 1, num_nodes: 2, memory: '1m', runtime: 'PT1M' }],
  });
  const single = world.worker({ ...new TestAllocation().options({ holdBackMs: 20 }), idleMs: 300 });
  expect(await single.ended).toBe('drained');
  expect(await world.jobs()).toMatchObject([{ status: 'ready' }]);
  const options = new TestAllocation().options({ holdBackMs: 20 }, { nodes: 2 });
  world.worker({ ...options, stateDir: join(world.dir, 'another') });
  await world.complete();
  expect((await world.engine.listWorkers()).items[0]).toMatchObject({ nodes: 2 });
});
