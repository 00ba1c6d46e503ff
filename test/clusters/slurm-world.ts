import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readProcessTable } from '../../src/worker/launcher/kill/process-table.ts';
import { kill } from '../kill-process.ts';
import { type ClusterProgram, guardCluster, removeLeft } from './cluster-guard.ts';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('slurm-cluster.sh', import.meta.url));
/** Controller and nodes listen on ports in a row. */
const PORTS = 12;

export interface SlurmShape {
  /** How many (default: 2). They are called `n1`, `n2` …, with control groups by a name of their own. */
  nodes?: number;
  /** Of one node (default: 4). */
  cpus?: number;
  /** Of one node, in MB (default: 1000). */
  memory?: number;
  /** Memory is limited by control groups: see `hasControlGroups`. */
  cgroups?: boolean;
}

/** A real Slurm of one's own. It ends with the process that started it, however that ends. */
export interface SlurmWorld {
  /** What commands and allocations need to find it: the environment of this process, with SLURM_CONF. */
  env: Record<string, string>;
  nodes: string[];
  /** Everything of it is in there, logs in `log/`. */
  directory: string;
  killNode(node: string): Promise<void>;
  startNode(node: string): Promise<void>;
  /** To its slurmd alone: SIGSTOP cuts the node off while its jobs continue. */
  signalNode(node: string, signal: 'STOP' | 'CONT'): Promise<void>;
  /** SIGKILL to workers of Holdfast on the node, and to nothing else there. Returns how many there were. */
  killWorkers(node: string): number;
  stopController(): Promise<void>;
  startController(): Promise<void>;
  /** A command of Slurm, as a person would call it: its standard output. */
  command(program: string, ...args: string[]): Promise<string>;
  down(): Promise<void>;
}

/** Partitions: `low` (the default) and `high`, whose jobs preempt those of `low`. KillWait is 2 s. */
export async function startSlurm(shape: SlurmShape = {}): Promise<SlurmWorld> {
  const name = shape.cgroups === true ? `c${process.pid}n` : 'n';
  const { directory, up, order, down } = guardCluster(program(), {
    ...process.env,
    NODES: String(shape.nodes ?? 2),
    CPUS: String(shape.cpus ?? 4),
    MEMORY: String(shape.memory ?? 1000),
    CGROUPS: shape.cgroups === true ? '1' : '0',
    NAME: name,
  });
  mkdirSync(directory, { recursive: true });
  const env = {
    ...(process.env as Record<string, string>),
    SLURM_CONF: join(directory, 'etc/slurm.conf'),
  };
  await up(String(await freePorts()));
  return {
    env,
    nodes: Array.from({ length: shape.nodes ?? 2 }, (_, index) => `${name}${index + 1}`),
    directory,
    killNode: (node) => order('kill-node', node),
    startNode: (node) => order('start-node', node),
    signalNode: (node, signal) => order('signal-node', node, signal),
    killWorkers: (node) => {
      const { processes, environment } = readProcessTable(new Set());
      const isThere = (pid: number) => {
        const words = environment(pid);
        return words?.includes(`SLURMD_NODENAME=${node}`) && words.includes(`SLURM_CONF=${env.SLURM_CONF}`);
      };
      const workers = [...processes.keys()].filter((pid) => isThere(pid) && isWorker(pid));
      for (const pid of workers) kill(pid);
      return workers.length;
    },
    stopController: () => order('stop-controller'),
    startController: () => order('start-controller'),
    command: async (program, ...args) => (await run(program, args, { env })).stdout,
    down,
  };
}

/** Not the `srun` that started it, whose command line has the same words. */
function isWorker(pid: number): boolean {
  const [program = '', ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return program.endsWith('node') && words.includes('worker');
}

/** Whether this machine has control groups of version 1 for memory. Slurm of Debian 12 cannot use those of version 2 without systemd. */
export function hasControlGroups(): boolean {
  return existsSync('/sys/fs/cgroup/memory/cgroup.procs');
}

/** Ends clusters of earlier processes that were killed together with their guard. */
export const removeLeftClusters = (): Promise<void> => removeLeft(program());

/** The one place where those that are left are looked for, whatever TMPDIR tests have. */
const program = (): ClusterProgram => ({
  path: PROGRAM,
  place: process.env.HF_CLUSTERS ?? tmpdir(),
  prefix: 'holdfast-slurm',
});

/** The first of a few ports in a row that nobody listens on, below those that the system gives to clients. */
async function freePorts(): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = 12_000 + Math.floor(Math.random() * 18_000);
    const ports = Array.from({ length: PORTS }, (_, index) => first + index);
    const free = await Promise.all(ports.map(isFree));
    if (free.every((one) => one)) return first;
  }
  throw new Error('no free ports');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
