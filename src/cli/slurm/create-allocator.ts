import { randomUUID } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { AllocationOrder, Allocator } from '../../contract/allocator.ts';
import type { AllocationPlan, Cluster } from '../../contract/cluster.ts';
import { makeDirectory } from '../../host/make-directory.ts';
import type { CommandContext } from '../command-context.ts';
import type { SettingOrigin } from '../config/resolve-settings.ts';
import { slurmDirectory, workerProgram } from './reach-server.ts';
import { usingFiles } from './using-files.ts';
import { type WorkerAccess, workerScript } from './worker-script.ts';

/** Settings of workers that are the same on each node. */
const SHARED = ['lease', 'grace', 'keep_work'] as const;
const SHOWN = {
  lease: (ms: number) => `${ms}ms`,
  grace: (ms: number) => `${ms}ms`,
  keep_work: (which: string) => which,
};

/** How much of an allocation's output is worth a look. */
const OUTPUT_BYTES = 4096;

/** How workers reach the server. */
export interface WorkerReach {
  url: string;
  /** Their state directory, which all nodes see. */
  stateDir: string;
  /** A file with their token, made when it is first needed; null: the server asks for none. */
  tokenFile: () => Promise<string | null>;
}

/**
 * Asks a cluster for allocations from this process. Their files are where all nodes see them.
 * `workflowId`: the only workflow that they are for; null: any.
 */
export function createAllocator(
  cluster: Cluster,
  { origins }: Pick<CommandContext, 'origins'>,
  workflowId: number | null,
  { url, stateDir, tokenFile }: WorkerReach,
): Allocator {
  const directory = slurmDirectory(stateDir);
  const access = { url, program: workerProgram(), stateDir, flags: sharedFlags(origins) };
  return {
    cluster,
    server: `${hostname()} ${process.pid} ${randomUUID()}`,
    workflowId,
    plan: (order) =>
      usingFiles(directory, async () =>
        planAllocation(order, join(directory, order.tag), { ...access, tokenFile: await tokenFile() }),
      ),
    outputOf: (tag) => tailOf(join(directory, tag, 'output')),
  };
}

async function planAllocation(
  order: AllocationOrder,
  directory: string,
  access: WorkerAccess,
): Promise<AllocationPlan> {
  const script = workerScript(order, access);
  makeDirectory(directory, 0o700);
  // For people: the cluster keeps a copy of its own.
  await writeFile(join(directory, 'script.sh'), script, { mode: 0o700 });
  const { options, extra } = order.scheduler;
  return {
    tag: order.tag,
    script,
    options: [
      ...Object.entries(options).map(([name, value]) =>
        value === null ? `--${name}` : `--${name}=${value}`,
      ),
      ...extra,
    ],
    directory: process.cwd(),
    output: join(directory, 'output'),
    after: order.after,
  };
}

/** What was set for workers, by a flag, in the environment or in a file that those on nodes may not have. */
function sharedFlags(origins: readonly SettingOrigin[]): string[] {
  return SHARED.flatMap((key) => {
    const found = origins.find((each) => each.key === key && each.origin !== 'default');
    return found === undefined ? [] : [`--${key.replaceAll('_', '-')}`, SHOWN[key](found.value as never)];
  });
}

async function tailOf(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, OUTPUT_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}
