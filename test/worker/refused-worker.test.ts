import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { kill } from '../kill-process.ts';
import { ServiceWorld, until } from './service-world.ts';

/** Says that it has begun, and continues when it may. */
const HELD = 'echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID" >> starts; until [ -e go ]; do sleep 0.02; done';

const letGo = (world: ServiceWorld) => writeFileSync(join(world.dir, 'go'), '');

const REFUSED = new Set(['exchange', 'resumeWorker', 'putLogs', 'retireWorker']);

/** An engine that refuses what a worker asks as the test says. */
function refusing(engine: Engine, refusal: () => HoldfastError | null): Engine {
  return new Proxy(engine, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      return (...given: unknown[]) => {
        const error = REFUSED.has(String(name)) ? refusal() : null;
        return error === null ? method.apply(target, given) : Promise.reject(error);
      };
    },
  });
}

describe('a worker that is refused', () => {
  test.for([
    ['because its token was revoked', 'UNAUTHORIZED'],
    ['because the server has another name now', 'FOREIGN_REQUEST'],
    ['because the server has a bug', 'SERVER_FAILED'],
    ['because the disk of the server is full', 'DISK_FULL'],
  ] as const)('%s keeps its jobs, and reports them once it is heard', async ([, code], context) => {
    const world = await ServiceWorld.make(context);
    let isRefused = false;
    const refusal = () => (isRefused ? new HoldfastError(code, { problem: 'refused' }) : null);
    world.worker({}, refusing(world.engine, refusal));
    await world.submit([{ name: 'a', command: `${HELD}; echo end >> ends` }]);
    await world.running();
    isRefused = true;
    letGo(world);
    await until('it asks again', () => world.log.some((line) => line.includes('; trying again')));
    expect(world.lines('ends')).toEqual(['end']);
    isRefused = false;
    await world.complete();
    expect(await world.attempts()).toMatchObject([{ state: 'SUCCEEDED', attempt_id: 1, worker_id: 1 }]);
  });

  test('and runs nothing leaves, with the reason', async (context) => {
    const world = await ServiceWorld.make(context, 3_000);
    let isRefused = false;
    const refusal = () => (isRefused ? new HoldfastError('UNAUTHORIZED', { problem: 'refused' }) : null);
    const { ended } = world.worker({}, refusing(world.engine, refusal));
    await until('it is ready', () => world.log.includes('worker 1 is ready'));
    isRefused = true;
    await expect(ended).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('when it is started again leaves the jobs alone that run here', async (context) => {
    const world = await ServiceWorld.make(context);
    const first = world.program();
    await world.submit([{ name: 'a', command: HELD }]);
    await until('the job has begun', () => world.lines('starts').length === 1);
    await world.running();
    const jobs = world.jobProcesses();
    kill(first.child.pid!);
    await first.ended;
    let isRefused = true;
    const refusal = () => (isRefused ? new HoldfastError('UNAUTHORIZED', { problem: 'refused' }) : null);
    world.worker({}, refusing(world.engine, refusal));
    await until('it asks again', () => world.log.some((line) => line.includes('; trying again')));
    expect(world.jobProcesses()).toEqual(expect.arrayContaining(jobs.slice(0, 1)));
    isRefused = false;
    await until('it continues', () => world.log.includes('worker 1 resumes with 1 running'));
    letGo(world);
    await world.complete();
    expect(world.lines('starts')).toEqual(['a 1']);
  });
});
