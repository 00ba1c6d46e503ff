import { describe, expect, test } from 'vitest';
import { jobsWorld, makeWorld } from './world.ts';

const CHAIN = [
  { name: 'A', command: 'echo A >> order; exit 3' },
  { name: 'B', command: 'echo B >> order', depends_on: ['A'] },
  { name: 'C', command: 'echo C >> order', depends_on: ['B'] },
  { name: 'D', command: 'echo D >> order', depends_on: ['C'] },
];

describe.concurrent('dependents', () => {
  test('of a failed job are canceled, transitively', async (context) => {
    const world = jobsWorld(context, CHAIN);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect((await world.jobs()).map(({ name, status, reason }) => [name, status, reason])).toEqual([
      ['A', 'failed', 'no retry applies'],
      ['B', 'canceled', 'its dependency A did not succeed'],
      ['C', 'canceled', 'its dependency B did not succeed'],
      ['D', 'canceled', 'its dependency C did not succeed'],
    ]);
    expect(world.lines('order')).toEqual(['A']);
  });

  test('run all the same where cancel_on_blocking_job_failure is false', async (context) => {
    const jobs = CHAIN.map((job) =>
      job.name === 'B' ? { ...job, cancel_on_blocking_job_failure: false } : job,
    );
    const world = jobsWorld(context, jobs);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect((await world.jobs()).map(({ status }) => status)).toEqual([
      'failed',
      'completed',
      'completed',
      'completed',
    ]);
    expect(world.lines('order')).toEqual(['A', 'B', 'C', 'D']);
  });

  test('that are steps without depends_on run in written order', async (context) => {
    const step = (name: string) => ({ exec: `echo ${name} begins >> order; echo ${name} ends >> order` });
    const world = makeWorld(context, {
      'spec.json': { name: 'written', steps: { x: step('x'), y: step('y'), z: step('z') } },
    });
    expect((await world.run('run', 'spec.json', '-j', '3')).code).toBe(0);
    expect(world.lines('order')).toEqual(['x begins', 'x ends', 'y begins', 'y ends', 'z begins', 'z ends']);
  });
});
