import { rmdirSync, rmSync, unlinkSync } from 'node:fs';
import type { Claim } from '../core/engine.ts';
import { attemptFiles } from './spawn-order.ts';

/** Which attempt directories stay after their job has ended. */
export type KeepWork = 'none' | 'failed' | 'all';

/** Removes what the attempt left in the state directory, and after success what the attempts before it left. */
export function cleanUpAttempt(claim: Claim, stateDir: string, succeeded: boolean, keep: KeepWork): void {
  if (keep === 'all' || (keep === 'failed' && !succeeded)) return;
  const first = succeeded ? 1 : claim.attempt_id;
  for (let attempt_id = first; attempt_id <= claim.attempt_id; attempt_id += 1) {
    const files = attemptFiles({ ...claim, attempt_id }, stateDir);
    removeDirectory(files.workDir);
    removeFile(files.scriptPath);
    removeFile(files.reportPath);
  }
  if (succeeded) removeIfEmpty(attemptFiles(claim, stateDir).checkpointDir);
}

function removeDirectory(path: string): void {
  // Almost always empty: rmdir costs a tenth of a recursive removal.
  if (!removeIfEmpty(path)) rmSync(path, { recursive: true, force: true });
}

function removeIfEmpty(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never written.
  }
}
