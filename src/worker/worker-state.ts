import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** As what a worker is known, so that it can go on as that after a restart. */
export interface WorkerState {
  worker_id: number;
  /** Another server knows nothing of the worker. */
  server: string;
}

/** null if there is none, or it cannot be used. */
export function readWorkerState(stateDir: string): WorkerState | null {
  try {
    const state = JSON.parse(readFileSync(fileIn(stateDir), 'utf8')) as Partial<WorkerState>;
    const { worker_id, server } = state;
    return typeof worker_id === 'number' && typeof server === 'string' ? { worker_id, server } : null;
  } catch {
    return null;
  }
}

export function writeWorkerState(stateDir: string, state: WorkerState): void {
  const draft = `${fileIn(stateDir)}.draft`;
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600, flush: true });
  renameSync(draft, fileIn(stateDir));
}

export function removeWorkerState(stateDir: string): void {
  rmSync(fileIn(stateDir), { force: true });
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'worker.json');
}
