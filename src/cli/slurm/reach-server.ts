import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { ServedEngine } from '../../contract/engine.ts';
import type { CommandContext } from '../command-context.ts';

const ANY_ADDRESS = new Set(['0.0.0.0', '::', '[::]']);

/**
 * The state directory of workers in allocations. All nodes see it; that of SQLite must be on a local disk. Below
 * `slurm_dir` each database has one of its own: workflows and jobs of others have the same numbers.
 */
export async function sharedDirectory(
  { stateDir, settings }: Pick<CommandContext, 'stateDir' | 'settings'>,
  engine: Pick<ServedEngine, 'databaseId'>,
): Promise<string> {
  return settings.slurm_dir === null
    ? stateDir
    : join(resolve(settings.slurm_dir), await engine.databaseId());
}

/** Where the files of allocations are, in the state directory of their workers. */
export function slurmDirectory(stateDir: string): string {
  return join(stateDir, 'slurm');
}

/** This program, as a worker on another machine with the same files starts it. */
export function workerProgram(): string[] {
  return [process.execPath, resolve(process.argv[1]!)];
}

/** How workers on other machines reach a server that listens on `host`. */
export function workerUrl(url: string, host: string): string {
  if (!ANY_ADDRESS.has(host)) return url;
  const address = new URL(url);
  address.hostname = hostname();
  return address.origin;
}
