import type { WorkerRow } from '../store/worker-rows.ts';
import { isProcessAlive } from './process-identity.ts';

/**
 * Whether the worker may still be at work. On this host its process is asked; elsewhere, and of a worker that may be
 * restarted, only the lease can tell.
 */
export function isAlive(worker: WorkerRow, now: number): boolean {
  if (worker.retired_at !== null) return false;
  const isLeased = worker.lease_expires_at > now;
  return worker.kind === 'service' ? isLeased : (isProcessAlive(worker) ?? isLeased);
}
