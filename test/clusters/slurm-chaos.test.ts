import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunningCli } from '../cli/run-cli.ts';
import { until } from '../cli/run-cli.ts';
import { type SlurmRun, slurmRun } from './slurm-run-world.ts';

/** How long things are broken; HOLDFAST_SLURM_CHAOS_SECONDS makes it long. */
const CHAOS_MS = Number(process.env.HOLDFAST_SLURM_CHAOS_SECONDS ?? 12) * 1000;
const SEED = Number(process.env.HOLDFAST_SLURM_CHAOS_SEED ?? 7);
/** For everything to end once nothing is broken any more. */
const PATIENCE_MS = 150_000;
const JOBS = Math.max(20, Math.round(CHAOS_MS / 500));

/** The effect comes last: a job that is ended early has none, whatever it says. */
const work = (end: string) =>
  `${end}\necho "$HOLDFAST_ATTEMPT_ID" >> starts-{i}\nsleep 0.$((RANDOM % 9))$((RANDOM % 9)) & wait $!\nsleep 1 & wait $!\necho "$HOLDFAST_JOB_NAME" >> effects`;

/** The same course for the same seed, as far as the cluster allows. */
function chance(seed: number): <T>(list: readonly T[]) => T {
  let state = seed;
  return (list) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)]!;
  };
}

const FAULTS = ['requeue', 'cancel', 'kill driver', 'kill node', 'stop controller', 'preempt'] as const;

/** One thing goes wrong, and is put right after a while. Returns the driver that there is then. */
async function breakSomething(
  run: SlurmRun,
  driver: RunningCli,
  any: ReturnType<typeof chance>,
  fault: (typeof FAULTS)[number],
): Promise<RunningCli> {
  const { slurm, world } = run;
  const brief = any([200, 700, 1500, 3000]);
  const node = any(slurm.nodes);
  const left = any([0, 1]);
  const running = async () =>
    (await run.allocations()).filter(({ word }) => word === 'RUNNING').map(({ id }) => id);
  switch (fault) {
    case 'requeue':
    case 'cancel': {
      const ids = await running();
      const id = ids[left] ?? ids[0];
      const words = fault === 'requeue' ? ['scontrol', 'requeue'] : ['scancel'];
      if (id !== undefined) await slurm.command(words[0]!, ...words.slice(1), id).catch(() => '');
      break;
    }
    case 'kill driver': {
      driver.child.kill('SIGKILL');
      await driver.ended;
      await sleep(brief);
      return world.startWith(run.env, 'run', '1');
    }
    case 'kill node':
      await slurm.killNode(node);
      await sleep(brief);
      await slurm.startNode(node);
      break;
    case 'stop controller':
      await slurm.stopController();
      await sleep(brief);
      await slurm.startController();
      break;
    case 'preempt':
      await slurm.command(
        'sbatch',
        '--partition=high',
        `--nodelist=${node}`,
        '--exclusive',
        '--output=/dev/null',
        '--wrap=sleep 1',
      );
      break;
  }
  return driver;
}

test(
  'whatever ends allocations, nodes and the driver, each job is completed once and charged nothing',
  async (context) => {
    const retry = {
      max_retries_failure: 3,
      max_retries_preemption: 1000,
      initial_delay: '100ms',
      max_delay: '1s',
    };
    const of = (name: string, end: string, more: object = {}) => {
      return { name: `${name}_{i}`, command: work(end), retry, parameters: { i: `1:${JOBS / 2}` }, ...more };
    };
    const run = await slurmRun(
      context,
      [
        of('plain', ''),
        of('liar', "trap 'exit 0' TERM"),
        of('loud', "trap 'exit 9' TERM", { depends_on: ['plain_{i}'] }),
        { name: 'last', command: 'echo last >> effects', retry, depends_on_regexes: ['^(loud|liar)_'] },
      ],
      {
        actions: [
          {
            ...{ trigger_type: 'on_jobs_ready', action_type: 'auto_schedule_on_ready_jobs' },
            ...{ scheduler: 'node', scheduler_type: 'slurm', num_allocations: 2 },
          },
        ],
      },
    );
    const { world, slurm } = run;
    const any = chance(SEED);
    const course = [`seed ${SEED}`];
    let driver = run.start();
    await until(() => world.lines('starts-1').length > 0, 'the first job runs', PATIENCE_MS);
    const end = Date.now() + CHAOS_MS;
    let hasEnded = false;
    while (Date.now() < end && !hasEnded) {
      const fault = any(FAULTS);
      course.push(`${new Date().toISOString()} ${fault}`);
      driver = await breakSomething(run, driver, any, fault);
      hasEnded = await Promise.race([
        driver.ended.then(() => true),
        sleep(any([300, 1000, 2500])).then(() => false),
      ]);
    }
    const isOver = await Promise.race([driver.ended.then(() => true), sleep(PATIENCE_MS).then(() => false)]);
    const reported = `${course.join('\n')}\n${driver.output().stderr}`;
    expect(isOver, `${reported}\n${isOver ? '' : await run.holdfast('slurm', 'allocations', '1')}`).toBe(
      true,
    );
    expect((await driver.ended).code, reported).toBe(0);

    const jobs = await world.jobs();
    const wrong = jobs.filter(({ status, failure_count }) => status !== 'completed' || failure_count > 0);
    expect(wrong, reported).toEqual([]);
    expect(new Set(world.lines('effects'))).toEqual(new Set(jobs.map(({ name }) => name)));
    const successes = (await world.attempts()).filter(({ state }) => state === 'SUCCEEDED');
    expect(successes.map(({ job_name }) => job_name).sort()).toEqual(jobs.map(({ name }) => name).sort());
    await until(
      async () => (await slurm.command('squeue', '-h', '-p', 'low')) === '',
      'nothing is queued',
      30_000,
    );
    const tags = (await slurm.command('squeue', '-h', '-t', 'all', '-p', 'low', '-o', '%j'))
      .split('\n')
      .filter(Boolean);
    expect(tags, 'no tag was submitted twice').toEqual([...new Set(tags)]);
    await world.nothingLeft(30_000);
  },
  CHAOS_MS + 2 * PATIENCE_MS,
);
