import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../cli/run-cli.ts';
import { kill } from '../kill-process.ts';
import { jobsWorld, type World } from './world.ts';

const LAYERS = 5;
const WIDTH = 10;

/** Layers of jobs, each of which depends on two of the layer before and writes down when it begins and ends. */
function layers(): object[] {
  return Array.from({ length: LAYERS * WIDTH }, (_, index) => {
    const layer = Math.floor(index / WIDTH);
    const before = (offset: number) => `job_${(layer - 1) * WIDTH + ((index + offset) % WIDTH)}`;
    const journal = (word: string) => `echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID ${word}" >> journal`;
    return {
      name: `job_${index}`,
      command: `${journal('begins')}; sleep ${((50 + ((index * 37) % 151)) / 1000).toFixed(3)}; ${journal('ends')}`,
      depends_on: layer === 0 ? [] : [before(0), before(3)],
    };
  });
}

/** Numbers in [0, 1) that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const VICTIMS = {
  'the deciding process': (decider: number) => [decider],
  'a launcher': (_: number, launchers: number[], random: () => number) =>
    launchers.slice(Math.floor(random() * launchers.length)).slice(0, 1),
  'the deciding process and its launchers': (decider: number, launchers: number[]) => [decider, ...launchers],
};

/** What must be true of the attempts and the journal of any run that completed, whatever happened to it. */
async function expectOneSuccessEach(world: World): Promise<void> {
  const attempts = await world.attempts();
  const journal = world.lines('journal');
  expect(new Set(journal).size, 'no attempt ran twice').toBe(journal.length);
  for (const { name, status, attempt_id } of await world.jobs()) {
    expect({ name, status }).toEqual({ name, status: 'completed' });
    const own = attempts.filter((attempt) => attempt.job_name === name);
    expect(own.slice(0, -1).map(({ state }) => state)).toEqual(own.slice(1).map(() => 'WORKER_FAILED'));
    expect(own.at(-1)).toMatchObject({ attempt_id, state: 'SUCCEEDED' });
    expect(journal).toContain(`${name} ${attempt_id} begins`);
    expect(journal).toContain(`${name} ${attempt_id} ends`);
  }
}

describe.concurrent('kill -9 in a workflow of 50 jobs', () => {
  const rounds = Object.keys(VICTIMS).flatMap((victim, index) =>
    [1, 2, 3].map((round) => [victim as keyof typeof VICTIMS, 7919 * round + index] as const),
  );
  test.for(rounds)('of %s loses nothing and repeats nothing (seed %i)', async ([victim, seed], context) => {
    const random = randomFrom(seed);
    const world = jobsWorld(context, layers());
    const run = world.start('run', 'spec.json', '-j', '6');
    await world.linesReached('journal', 1 + Math.floor(random() * 1.5 * LAYERS * WIDTH));
    await sleep(random() * 40);

    const launchers = world.launchers().map(({ pid }) => pid);
    const victims = VICTIMS[victim](run.child.pid!, launchers, random);
    const doomed = world.processes().filter(({ parent }) => victims.includes(parent));
    for (const pid of victims) kill(pid);

    if (victims.includes(run.child.pid!)) {
      await run.ended;
      await world.nothingLeft();
    } else {
      const isDoomed = (pid: number, startTime: string) =>
        doomed.some((process) => process.pid === pid && process.startTime === startTime);
      await until(
        () => !world.processes().some(({ pid, startTime }) => isDoomed(pid, startTime)),
        'the jobs of the launcher are gone',
        5_000,
      );
    }
    const completed = (await world.jobs()).filter(({ status }) => status === 'completed');
    if (!victims.includes(run.child.pid!)) expect((await run.ended).code).toBe(0);
    expect(await world.run('run', '1')).toMatchObject({ code: 0 });

    await expectOneSuccessEach(world);
    const after = new Map((await world.jobs()).map(({ name, attempt_id }) => [name, attempt_id]));
    for (const { name, attempt_id } of completed) expect([name, after.get(name)]).toEqual([name, attempt_id]);
    await world.nothingLeft();
  });
});

test('a driver whose launchers stand still while it dies leaves no attempt beside the next one', async (context) => {
  const command = `exec 9>lock; flock -n 9 || echo overlap >> seen; echo "$HOLDFAST_ATTEMPT_ID" >> seen
[ "$HOLDFAST_ATTEMPT_ID" -gt 1 ] || sleep 60`;
  const world = jobsWorld(context, [{ name: 'job', command }]);
  const run = world.start('run', 'spec.json');
  await world.linesReached('seen', 1);
  const launchers = world.launchers().map(({ pid }) => pid);
  expect(launchers.length).toBeGreaterThan(0);
  for (const pid of launchers) kill(pid, 'SIGSTOP');
  kill(run.child.pid!);
  await run.ended;
  expect(await world.run('run', '1')).toMatchObject({ code: 0 });
  expect(world.lines('seen')).toEqual(['1', '2']);
  await world.nothingLeft();
});
