import { rmSync } from 'node:fs';
import type { Claim } from '../core/engine.ts';
import { attemptFiles, type SpawnSettings } from './spawn-order.ts';

/** Removes the files of an attempt that were kept for its post script. */
export function removeWorkDirectory(
  claim: Claim,
  { stateDir, keepWork }: SpawnSettings,
  succeeded: boolean,
): void {
  if (keepWork === 'all' || (keepWork === 'failed' && !succeeded)) return;
  const { workDir, scriptPath } = attemptFiles(claim, stateDir);
  rmSync(workDir, { recursive: true, force: true });
  rmSync(scriptPath, { force: true });
}

/** Removes what failed attempts before this one kept; the launcher has removed its own. */
export function cleanUpEarlierAttempts(claim: Claim, stateDir: string): void {
  for (let attempt_id = 1; attempt_id < claim.attempt_id; attempt_id += 1) {
    const { workDir, scriptPath } = attemptFiles({ ...claim, attempt_id }, stateDir);
    rmSync(workDir, { recursive: true, force: true });
    rmSync(scriptPath, { force: true });
  }
}
