import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program that brings a cluster up and down, and where its clusters are: `PREFIX-PID-NUMBER` in `place`. */
export interface ClusterProgram {
  path: string;
  place: string;
  prefix: string;
}

export interface GuardedCluster {
  directory: string;
  /** `PROGRAM up DIRECTORY …`; what was begun is ended if it fails. */
  up(...args: string[]): Promise<void>;
  /** `PROGRAM ORDER DIRECTORY …`. */
  order(order: string, ...args: string[]): Promise<void>;
  down(): Promise<void>;
}

let count = 0;

/**
 * The directory of a new cluster, with a process that ends the cluster when this process ends, however it ends: its stdin
 * closes then. `env` is what all orders get.
 */
export function guardCluster(
  { path, place, prefix }: ClusterProgram,
  env: NodeJS.ProcessEnv = process.env,
): GuardedCluster {
  count += 1;
  const directory = join(place, `${prefix}-${process.pid}-${count}`);
  const guard = spawn('bash', [path, 'guard', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  const order = async (name: string, ...args: string[]) => {
    await run('bash', [path, name, directory, ...args], { env });
  };
  const down = async () => {
    if (guard.exitCode !== null) return;
    const ended = once(guard, 'exit');
    guard.stdin.end();
    await ended;
  };
  return {
    directory,
    up: async (...args) => {
      try {
        await order('up', ...args);
      } catch (error) {
        await down();
        throw error;
      }
    },
    order,
    down,
  };
}

/** Ends clusters of earlier processes that were killed together with their guard. */
export async function removeLeft({ path, place, prefix }: ClusterProgram): Promise<void> {
  const pattern = new RegExp(`^${prefix}-(\\d+)-\\d+$`);
  for (const name of readdirSync(place)) {
    const [, pid] = pattern.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await run('bash', [path, 'down', join(place, name)]);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
