import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a process needs to continue as the same worker after a restart; private, because of the secret. */
export interface KnownWorker {
  worker_id: number;
  secret: string;
  /** Another server knows nothing of the worker. */
  server: string;
}

/** null if there is none, or it cannot be used. */
export function readWorkerState(stateDir: string): KnownWorker | null {
  try {
    const state = JSON.parse(readFileSync(fileIn(stateDir), 'utf8')) as Partial<KnownWorker>;
    const { worker_id, secret, server } = state;
    if (typeof worker_id !== 'number' || typeof secret !== 'string' || typeof server !== 'string')
      return null;
    return { worker_id, secret, server };
  } catch {
    return null;
  }
}

export function writeWorkerState(stateDir: string, state: KnownWorker): void {
  const draft = `${fileIn(stateDir)}.draft`;
  // A draft that a crash left may be readable by others.
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600, flush: true });
  renameSync(draft, fileIn(stateDir));
}

export function removeWorkerState(stateDir: string): void {
  rmSync(fileIn(stateDir), { force: true });
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'worker.json');
}
