import { execFile } from 'node:child_process';
import type { OwnAllocation } from '../../contract/cluster.ts';
import { HoldfastError } from '../../core/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const MEBIBYTE = 1024 * 1024;
/** Slurm's own default. */
const KILL_WAIT_MS = 30_000;
/** Where slurmctld is down, Slurm's commands take 9 s to say so. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * The allocation of Slurm that this process runs in, as the environment describes it. A worker that `srun` starts once
 * for each node has one node; any other has all nodes of its allocation or step, and the CPUs and memory of the first.
 */
export function ownAllocation(env: Environment): OwnAllocation {
  const id = env.SLURM_JOB_ID ?? '';
  if (!/^\d+$/.test(id)) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--allocation',
      problem:
        'this is no job of Slurm, because SLURM_JOB_ID is not set; start the worker with `sbatch` or `srun`, or without --allocation',
    });
  }
  const cpus =
    count(env.SLURM_CPUS_ON_NODE) ?? count(/^\d+/.exec(env.SLURM_JOB_CPUS_PER_NODE ?? '')?.[0]) ?? 1;
  const gpus = gpusOf(env);
  const clock = new SlurmClock(id, env);
  clock.askKillWait();
  return {
    cluster: 'slurm',
    id,
    node: count(env.SLURM_NODEID) ?? 0,
    nodeName: env.SLURMD_NODENAME || null,
    nodes: nodesOf(env),
    cpus,
    memoryBytes: memoryOf(env, cpus, gpus),
    gpus,
    restarts: count(env.SLURM_RESTART_COUNT) ?? 0,
    site: env.SLURM_CLUSTER_NAME || null,
    get killWaitMs() {
      return clock.killWaitMs;
    },
    endsAt: () => clock.endsAt(),
  };
}

/** How many workers `srun` has started together with this one, itself included. */
export function workersTogether(env: Environment): number {
  return env.SLURM_STEP_ID === undefined ? 1 : (count(env.SLURM_STEP_NUM_TASKS) ?? 1);
}

function nodesOf(env: Environment): number {
  if (workersTogether(env) > 1) return 1;
  const nodes = env.SLURM_STEP_ID === undefined ? env.SLURM_NNODES : env.SLURM_STEP_NUM_NODES;
  return Math.max(1, count(nodes) ?? 1);
}

/** Slurm gives mebibytes, per node, per CPU or per GPU; null: none of them is limited. */
function memoryOf(env: Environment, cpus: number, gpus: number): number | null {
  const perNode = count(env.SLURM_MEM_PER_NODE);
  if (perNode) return perNode * MEBIBYTE;
  const perCpu = count(env.SLURM_MEM_PER_CPU);
  if (perCpu) return perCpu * cpus * MEBIBYTE;
  const perGpu = count(env.SLURM_MEM_PER_GPU);
  return perGpu && gpus > 0 ? perGpu * gpus * MEBIBYTE : null;
}

function gpusOf(env: Environment): number {
  const given = count(env.SLURM_GPUS_ON_NODE);
  if (given !== null) return given;
  const lists = [env.SLURM_STEP_GPUS, env.SLURM_JOB_GPUS, env.CUDA_VISIBLE_DEVICES];
  const list = lists.find((each) => each !== undefined && each !== '' && each !== 'NoDevFiles') ?? '';
  return list.split(',').filter((name) => name !== '').length;
}

/** null: not given, or no number. */
function count(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/** Asks Slurm about times. Whatever cannot be understood counts as no answer. */
class SlurmClock {
  readonly #id: string;
  readonly #env: Environment;
  killWaitMs = KILL_WAIT_MS;
  #hasAnswered = false;

  constructor(id: string, env: Environment) {
    this.#id = id;
    this.#env = env;
  }

  askKillWait(): void {
    void this.#ask('scontrol', 'show', 'config').then((text) => {
      const seconds = /^KillWait\s*=\s*(\d+) sec/m.exec(text)?.[1];
      if (seconds !== undefined) this.killWaitMs = Number(seconds) * 1000;
    });
  }

  /** Until `squeue` has answered, the end that newer versions of Slurm put into the environment of a job. */
  async endsAt(): Promise<number | null> {
    const answer = await this.#ask('squeue', '-h', '-j', this.#id, '-o', '%T|%e');
    const [state, end = ''] = answer.trim().split('|');
    // While an allocation is being ended, Slurm gives the present as its end.
    if (state === 'RUNNING' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(end)) {
      this.#hasAnswered = true;
      return Date.parse(`${end}Z`);
    }
    const atStart = this.#hasAnswered ? null : count(this.#env.SLURM_JOB_END_TIME);
    return atStart === null ? null : atStart * 1000;
  }

  /** The output; '' if there is none, or not in time. */
  #ask(command: string, ...args: string[]): Promise<string> {
    const env = { ...this.#env, TZ: 'UTC', SLURM_TIME_FORMAT: 'standard' };
    return new Promise((resolve) => {
      const options = { env, timeout: ANSWER_WITHIN_MS, killSignal: 'SIGKILL' as const };
      execFile(command, args, options, (error, stdout) => resolve(error === null ? stdout : ''));
    });
  }
}
