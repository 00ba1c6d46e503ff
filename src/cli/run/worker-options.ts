import { mkdirSync } from 'node:fs';
import type { RunWorkerOptions } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';

/** What a worker in this process may use, for one workflow. Its state directory is there afterwards. */
export function workerOptions(
  { settings, stateDir, server, narrate }: CommandContext,
  workflowId: number,
): RunWorkerOptions {
  // An engine whose state is elsewhere has not made it.
  mkdirSync(stateDir, { recursive: true });
  return {
    workflowId,
    stateDir,
    cpus: settings.cpus,
    memoryBytes: settings.memory,
    gpus: settings.gpus,
    maxParallel: settings.max_parallel,
    graceMs: settings.grace,
    keepWork: settings.keep_work,
    baseDir: process.cwd(),
    ...(server !== null && { sendLogs: true, apiUrl: server.url, narrate }),
  };
}
