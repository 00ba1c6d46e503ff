import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'vitest';
import type { AttemptRecord } from '../../src/contract/records/records.ts';
import type { RunningCli } from '../cli/run-cli.ts';
import { until } from '../cli/run-cli.ts';
import { makeWorld, type World } from '../e2e/world.ts';
import { type SlurmShape, type SlurmWorld, startSlurm } from './slurm-world.ts';

/** As long as Slurm takes to notice that a node is gone, and more. */
const PATIENCE_MS = 120_000;

/** Polls what takes a process to look at, and leaves the processors to the clusters in between. */
export function eventually<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const slowly = async () => {
    const found = await look();
    if (found === undefined || found === null || found === false) await sleep(LOOK_MS);
    return found;
  };
  return until(slowly, what, PATIENCE_MS);
}

const LOOK_MS = 250;

/** So that a worker that is gone is missed soon. */
const LEASE = '5s';

/** A workflow of its own on a Slurm of its own. */
export interface SlurmRun {
  world: World;
  slurm: SlurmWorld;
  /** For commands of Holdfast that are started in another way. */
  env: Record<string, string>;
  /** `holdfast run spec.json --executor slurm` with further words. */
  start(...args: string[]): RunningCli;
  /** `holdfast serve` with further words. */
  serve(...args: string[]): RunningCli;
  /** A command of Holdfast on this cluster, to its end: its standard output. */
  holdfast(...args: string[]): Promise<string>;
  /** Every allocation that Slurm has seen for this workflow. */
  allocations(): Promise<{ id: string; word: string; restarts: number; node: string }[]>;
  /** The one allocation that there is, once it is as wanted. */
  allocation(word: string): Promise<string>;
  reached(file: string, lines?: number): Promise<boolean>;
}

export interface RunShape {
  shape?: SlurmShape;
  /** Keys of the scheduler `node`, whose allocations have one whole node each. */
  scheduler?: object;
  /** Of the spec. */
  [key: string]: unknown;
}

/** One allocation has a whole node. */
const SCHEDULER = {
  name: 'node',
  partition: 'low',
  walltime: '10',
  ntasks_per_node: 4,
  extra: '--exclusive',
};

export async function slurmRun(
  context: TestContext,
  jobs: object[],
  { shape = {}, scheduler = {}, ...spec }: RunShape = {},
): Promise<SlurmRun> {
  const slurm = await startSlurm(shape);
  context.onTestFinished(() => slurm.down());
  const world = makeWorld(context, {
    'spec.json': { name: 'on slurm', slurm_schedulers: [{ ...SCHEDULER, ...scheduler }], ...spec, jobs },
  });
  const { SLURM_CONF } = slurm.env;
  const env = { SLURM_CONF: SLURM_CONF!, HOLDFAST_LEASE: LEASE };
  const allocations = async () => {
    const lines = (
      await slurm.command('squeue', '-h', '-t', 'all', '-O', 'JobID:|,Name:|,State:|,RestartCnt:|,NodeList:|')
    )
      .split('\n')
      .filter((line) => line.includes('|holdfast-'));
    return lines.map((line) => {
      const [id, , word, restarts, node] = line.split('|') as [string, string, string, string, string];
      return { id, word, restarts: Number(restarts), node };
    });
  };
  return {
    world,
    slurm,
    env,
    start: (...args) => world.startWith(env, 'run', 'spec.json', '--executor', 'slurm', ...args),
    serve: (...args) => world.startWith(env, 'serve', ...args),
    holdfast: async (...args) => (await world.startWith(env, ...args).ended).stdout,
    allocations,
    allocation: async (word) => {
      const found = await eventually(
        async () => (await allocations()).find((one) => one.word === word),
        `an allocation is ${word}`,
      );
      return found.id;
    },
    reached: (file, lines = 1) =>
      until(() => world.lines(file).length >= lines, `${file} has ${lines} lines`, PATIENCE_MS),
  };
}

/** What counts of an attempt, wherever it ran. */
export function essence({ job_name, state, exit_code, signal, cause, verdict, rule }: AttemptRecord): object {
  return { job_name, state, exit_code, signal, cause, verdict, rule };
}
