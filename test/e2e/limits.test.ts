import { describe, expect, test } from 'vitest';
import { jobsWorld, largestOverlap } from './world.ts';

/** Takes hold of memory and keeps it. */
const HOG = `"${process.execPath}" -e 'const held = Buffer.alloc(300e6, 1); setInterval(() => held, 1000)'`;
const SIX = { parameters: { i: '1:6' }, name: 'job_{i}' };
/** Waits for as many others as may run at the same time, and stays a little for those that may not. */
const together = (count: number) =>
  `echo >> begun; until [ "$(wc -l < begun)" -ge ${count} ]; do sleep 0.02; done; sleep 0.2`;

describe.concurrent('limits', () => {
  test('of memory end a job that exceeds them, and record what showed it', async (context) => {
    const world = jobsWorld(context, [
      { name: 'hog', command: HOG, resource_requirements: { memory: '150m' } },
    ]);
    const run = await world.run('run', 'spec.json', '--memory', '1g');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('hog: out of memory');
    const [attempt] = await world.attempts();
    expect(attempt).toMatchObject({
      cause: 'oom',
      match_code: 137,
      category: 'transient',
      outcome: { oom: true, oom_evidence: 'sampler' },
    });
    expect(attempt!.usage!.peak_rss_bytes).toBeGreaterThan(150 * 1024 ** 2);
    await world.nothingLeft();
  });

  test('are only observed with limit_resources: false', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'hog',
        command: `timeout -s TERM 1.5 ${HOG} || true`,
        resource_requirements: { memory: '150m', runtime: '100ms' },
        limit_resources: false,
      },
    ]);
    expect((await world.run('run', 'spec.json', '--memory', '1g')).code).toBe(0);
    const [attempt] = await world.attempts();
    expect(attempt!.usage!.peak_rss_bytes).toBeGreaterThan(150 * 1024 ** 2);
  });

  test.for([
    ['a named resource', { limits: { licence: 2 } }, { resources: { licence: 1 } }, ['-j', '6'], 2],
    ['twice a named resource', { limits: { licence: 5 } }, { resources: { licence: 2 } }, ['-j', '6'], 2],
    ['max_parallel', { max_parallel: 3 }, {}, ['-j', '6'], 3],
    ['--max-parallel', {}, {}, ['-j', '2'], 2],
    ['CPUs', {}, { resource_requirements: { num_cpus: 2 } }, ['-j', '6', '--cpus', '5'], 2],
    ['memory', {}, { resource_requirements: { memory: '1g' } }, ['-j', '6', '--memory', '3g'], 3],
  ] as const)('on %s are reached and never exceeded', async ([, workflow, job, flags, most], context) => {
    const world = jobsWorld(context, [{ ...SIX, ...job, command: together(most) }], workflow);
    expect((await world.run('run', 'spec.json', ...flags)).code).toBe(0);
    const attempts = await world.attempts();
    expect(attempts).toHaveLength(6);
    expect(largestOverlap(attempts)).toBe(most);
  });

  test('on the wait for the first start fail a job that nobody could start', async (context) => {
    const world = jobsWorld(context, [
      { name: 'long', command: 'until [ -e go ]; do sleep 0.05; done', priority: 1 },
      { name: 'late', command: 'echo late >> runs', scheduling_timeout: '300ms' },
      { name: 'after', command: 'echo after >> runs', depends_on: ['late'] },
    ]);
    const run = world.start('run', 'spec.json', '-j', '1');
    await world.jobWhich('late is given up', (job) => job.name === 'late' && job.status === 'failed');
    world.write('go');
    expect((await run.ended).code).toBe(1);
    expect((await world.jobs()).map(({ name, status }) => [name, status])).toEqual([
      ['long', 'completed'],
      ['late', 'failed'],
      ['after', 'canceled'],
    ]);
    expect((await world.job('late')).reason).toContain('unschedulable');
    expect(world.lines('runs')).toEqual([]);
  });
});

test('priorities, then the written order, decide what starts first', async (context) => {
  const job = (name: string, priority?: number) => ({ name, command: `echo ${name} >> order`, priority });
  const world = jobsWorld(context, [job('low', -1), job('a'), job('b'), job('high', 5), job('higher', 6)]);
  expect((await world.run('run', 'spec.json', '--max-parallel', '1')).code).toBe(0);
  expect(world.lines('order')).toEqual(['higher', 'high', 'a', 'b', 'low']);
});
