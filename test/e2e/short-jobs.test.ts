import { describe, expect, test } from 'vitest';
import { jobsWorld } from './world.ts';

/** Counts the jobs that run at the same time, itself included. */
const COUNTED =
  'mkdir -p here; touch "here/$HOLDFAST_JOB_ID"; ls here | wc -l >> counts; rm "here/$HOLDFAST_JOB_ID"';

function sweep(count: number, command: string): object {
  return { name: 'short_{i}', command, parameters: { i: `1:${count}` } };
}

describe.concurrent('short jobs that are claimed ahead', () => {
  test('never use more room than there is, and each runs once', async (context) => {
    const world = jobsWorld(context, [sweep(200, `${COUNTED}; echo run >> runs`)]);
    expect((await world.run('run', 'spec.json', '-j', '2')).code).toBe(0);
    expect(world.lines('runs')).toHaveLength(200);
    expect(Math.max(...world.lines('counts').map(Number))).toBeLessThanOrEqual(2);
  });

  test('do not wait behind a long one while another place is free', async (context) => {
    // It ends once all the others have; with one of them behind it, it never would.
    const long = `n=0; until [ "$(cat runs | wc -l)" -ge 150 ]; do sleep 0.05; done`;
    const short = 'echo run >> runs';
    const command = `if [ "$HOLDFAST_JOB_NAME" = short_60 ]; then touch runs; ${long}; else ${short}; fi`;
    const world = jobsWorld(context, [sweep(151, command)]);
    expect((await world.run('run', 'spec.json', '-j', '2')).code).toBe(0);
    expect(world.lines('runs')).toHaveLength(150);
  });

  test('that have not begun are free of charge when the run is stopped, and run once afterwards', async (context) => {
    const world = jobsWorld(context, [sweep(300, 'echo "$HOLDFAST_JOB_NAME" >> runs; sleep 0.01')]);
    const run = world.start('run', 'spec.json', '-j', '2');
    await world.linesReached('runs', 60);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    await world.nothingLeft();
    const begun = world.lines('runs').length;
    expect(begun).toBeLessThan(300);
    const jobs = await world.jobs();
    expect(jobs.every(({ failure_count, preemption_count }) => failure_count + preemption_count === 0)).toBe(
      true,
    );
    expect((await world.run('run', '1', '-j', '2')).code).toBe(0);
    expect(new Set(world.lines('runs')).size).toBe(300);
    // At most the two that ran when it was stopped ran twice.
    expect(world.lines('runs').length).toBeLessThanOrEqual(302);
  });

  test('that were ordered and had not begun run once after the run was killed', async (context) => {
    const world = jobsWorld(context, [sweep(300, 'echo "$HOLDFAST_JOB_NAME" >> runs; sleep 0.01')]);
    const run = world.start('run', 'spec.json', '-j', '2');
    await world.linesReached('runs', 60);
    run.child.kill('SIGKILL');
    await run.ended;
    await world.nothingLeft();
    expect((await world.run('run', '1', '-j', '2')).code).toBe(0);
    expect(new Set(world.lines('runs')).size).toBe(300);
    expect((await world.status()).counts.completed).toBe(300);
  });
});
