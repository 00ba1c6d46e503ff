import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { logFiles, workDirectory } from '../../core/job/log-files.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import type { WorkerRow } from '../../store/rows/workers/worker-rows.ts';

/**
 * Whether an attempt whose start was not reported may have started all the same: a job that kills its worker at once
 * would otherwise be free of charge for ever. Only where the worker ran on this host can its absence be seen: an attempt
 * that has started has a work directory or a log.
 */
export function mayHaveStarted(
  live: LiveAttempt,
  worker: Pick<WorkerRow, 'kind' | 'host' | 'directory'>,
  outputDir: string,
): boolean {
  if (worker.kind !== 'run' || worker.host !== hostname()) return true;
  const traces = [
    ...(worker.directory === null ? [] : [join(worker.directory, workDirectory(live))]),
    ...(isAbsolute(outputDir) ? [join(outputDir, logFiles(live).stdout)] : []),
  ];
  return traces.length === 0 || traces.some((path) => existsSync(path));
}
