import { makeStateDirectory } from '../../host/private-state.ts';
import type { RunWorkerOptions } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';

/** The worker in this process. */
export interface LocalWorker {
  labels: string[];
  /** The site of this machine; null: none was given. */
  site: string | null;
  /** When its jobs have to be over; null: whenever they are. */
  endsAt?: number | null;
}

/** What a worker in this process may use, for one workflow. Its state directory is there afterwards. */
export function workerOptions(
  { settings, stateDir, server, narrate }: CommandContext,
  workflowId: number,
  { labels, site, endsAt = null }: LocalWorker,
): RunWorkerOptions {
  // An engine whose state is elsewhere has not made it.
  makeStateDirectory(stateDir);
  return {
    workflowId,
    stateDir,
    labels,
    ...(site !== null && { site }),
    ...(endsAt !== null && { endsAtMs: endsAt }),
    cpus: settings.cpus,
    memoryBytes: settings.memory,
    gpus: settings.gpus,
    maxParallel: settings.max_parallel,
    graceMs: settings.grace,
    keepWork: settings.keep_work,
    baseDir: process.cwd(),
    ...(server !== null && { sendLogs: true, leaseMs: settings.lease, apiUrl: server.url, narrate }),
  };
}
