import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jobsWorld, type World } from '../e2e/world.ts';
import { until } from './run-cli.ts';

const writeJobs = (world: World, jobs: object[]) =>
  world.write('spec.json', JSON.stringify({ name: 'e2e', jobs }));

/** Jobs of a sweep and one that joins them; each writes a line with the version of its command. */
const sweep = (version: number) => [
  { name: 'j_{i}', command: `echo ${version} {i} >> order`, parameters: { i: '1:12' } },
  { name: 'join', command: `echo ${version} join >> order`, depends_on_regexes: ['^j_'] },
];

/** How often each job succeeded in a run. */
async function successes(world: World, run: number): Promise<Record<string, number>> {
  const attempts = await world.attempts();
  const ended = attempts.filter(({ run_id, state }) => run_id === run && state === 'SUCCEEDED');
  const counts: Record<string, number> = {};
  for (const { job_name } of ended) counts[job_name] = (counts[job_name] ?? 0) + 1;
  return counts;
}

const ONCE = Object.fromEntries(
  [...Array.from({ length: 12 }, (_, i) => `j_${i + 1}`), 'join'].map((name) => [name, 1]),
);

describe.concurrent('run --continue', () => {
  test.for([
    ['when its run begins', 0],
    ['while its jobs run', 3],
  ] as const)(
    'that is killed %s is resumed by the next one, which repeats no result',
    async ([, lines], context) => {
      const world = jobsWorld(context, sweep(1));
      expect(await world.run('run', 'spec.json')).toMatchObject({ code: 0 });
      rmSync(join(world.dir, 'order'));
      writeJobs(world, sweep(2));
      const running = world.start('run', 'spec.json', '--continue', '-j', '1');
      await until(async () => (await world.status()).workflow.run_id === 2, 'the second run has begun');
      await until(
        () => world.lines('order').length >= lines || running.child.exitCode !== null,
        `${lines} jobs have run`,
      );
      running.child.kill('SIGKILL');
      await running.ended;
      expect(await world.run('run', 'spec.json', '--continue')).toMatchObject({ code: 0 });
      expect(await successes(world, 2)).toEqual(ONCE);
      expect((await world.status()).workflow.run_id).toBe(2);
      expect(world.lines('order').every((line) => line.startsWith('2 '))).toBe(true);
      expect(world.lines('order').at(-1)).toBe('2 join');
    },
  );

  test('given twice at once runs everything once: one drives the run, the other follows it', async (context) => {
    const world = jobsWorld(context, sweep(1));
    await world.run('run', 'spec.json');
    writeJobs(world, sweep(2));
    const both = [1, 2].map(() => world.start('run', 'spec.json', '--continue'));
    const ends = await Promise.all(both.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(ends.filter(({ stderr }) => stderr.includes('begins run 2: 13 run again'))).toHaveLength(1);
    expect(await successes(world, 2)).toEqual(ONCE);
    expect((await world.status()).workflow.run_id).toBe(2);
  });

  test('changes an active run where it has not started, follows it, and the next one runs the rest', async (context) => {
    const jobs = (version: number, names: string[]) => [
      { name: 'now', command: `until [ -e go ]; do sleep 0.02; done; echo ${version} now >> order` },
      ...names.map((name) => ({ name, command: `echo ${version} ${name} >> order`, depends_on: ['now'] })),
    ];
    const world = jobsWorld(context, jobs(1, ['later', 'old']));
    const first = world.start('run', 'spec.json');
    await world.running(1);
    writeJobs(world, jobs(2, ['later', 'new']));
    const second = world.start('run', 'spec.json', '--continue');
    await until(
      () => second.output().stderr.includes('Ctrl-C only stops following'),
      'the second one follows',
    );
    world.write('go');
    const [driven, followed] = await Promise.all([first.ended, second.ended]);
    expect([driven.code, followed.code]).toEqual([0, 0]);
    expect(followed.stderr).toContain('has started  now    its command changed');
    expect(world.lines('order').sort()).toEqual(['1 now', '2 later', '2 new']);
    expect(await world.run('run', 'spec.json', '--continue')).toMatchObject({ code: 0 });
    expect(world.lines('order').sort().join()).toBe('1 now,2 later,2 later,2 new,2 new,2 now');
  });
});

describe.concurrent('an input that no job writes and that is gone', () => {
  const jobs = (use: string, raw = 'cat raw.txt > raw.out') => [
    { name: 'raw', command: raw, input_files: ['raw.txt'], output_files: ['raw.out'] },
    { name: 'use', command: use, input_files: ['raw.out'] },
    { name: 'apart', command: 'cat apart.txt', input_files: ['apart.txt'] },
  ];

  test('stops an update only if a job that reads it would run', async (context) => {
    const world = jobsWorld(context, jobs('false'));
    world.write('raw.txt', 'raw');
    world.write('apart.txt', 'apart');
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    rmSync(join(world.dir, 'raw.txt'));
    writeJobs(world, jobs('false', 'cat < raw.txt > raw.out'));
    const refused = await world.run('run', 'spec.json', '--continue');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('job raw: the input raw.txt does not exist, and no job writes it'),
    ]);
    expect((await world.status()).workflow.run_id).toBe(1);
    writeJobs(world, jobs('cat raw.out'));
    const fixed = await world.run('run', 'spec.json', '--continue');
    expect(fixed.code).toBe(0);
    expect(fixed.stderr).toContain('note: inputs that no longer exist and cannot be compared: raw.txt\n');
    expect(await successes(world, 2)).toEqual({ use: 1 });
  });

  test('stops a resumed run before anything runs, and not what --until leaves out', async (context) => {
    const world = jobsWorld(context, jobs('cat raw.out'));
    world.write('raw.txt', 'raw');
    world.write('apart.txt', 'apart');
    expect((await world.run('run', 'spec.json', '--until', 'raw')).code).toBe(0);
    rmSync(join(world.dir, 'apart.txt'));
    const refused = await world.run('run', '1');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the input apart.txt')]);
    expect(await successes(world, 1)).toEqual({ raw: 1 });
    expect((await world.run('run', 'spec.json', '--continue', '--until', 'use')).code).toBe(0);
    expect(await successes(world, 1)).toEqual({ raw: 1, use: 1 });
  });
});
