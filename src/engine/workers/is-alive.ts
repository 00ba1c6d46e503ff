import { isSuspect } from '../../core/worker/worker-silence.ts';
import { hasLiveLauncher } from '../../host/launcher-notes.ts';
import { isProcessAlive } from '../../host/process-identity.ts';
import type { WorkerRow } from '../../store/rows/workers/worker-rows.ts';

/**
 * Whether the worker may still be at work. On this host its process is looked for; of a worker on another host only the
 * lease shows it.
 */
export function isAlive(worker: WorkerRow, now: number): boolean {
  if (worker.retired_at !== null) return false;
  const isLeased = worker.lease_expires_at > now;
  if (worker.kind === 'run') return isProcessAlive(worker) ?? isLeased;
  return isLeased && !isKnownDead(worker, now);
}

/**
 * The launchers of a worker of a server outlive its process, so that it is dead only without them. Before that it must
 * be silent: a worker in another container may have the same host name, and processes that are not seen here.
 */
function isKnownDead(worker: WorkerRow, now: number): boolean {
  if (worker.directory === null || !isSuspect(worker, now)) return false;
  return isProcessAlive(worker) === false && hasLiveLauncher(worker.directory) === false;
}
