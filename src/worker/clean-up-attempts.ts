import { rmSync } from 'node:fs';
import type { Claim } from '../core/exchange.ts';
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

/** What failed attempts left behind, of the jobs of one worker. */
export class KeptAttempts {
  private readonly stateDir: string;
  /** By job and run, the last attempt before which nothing is left. */
  private readonly cleanedUp = new Map<string, number>();

  constructor(stateDir: string) {
    this.stateDir = stateDir;
  }

  /** Removes what attempts before this one kept; the launcher has removed its own. */
  cleanUpBefore(claim: Claim): void {
    // A job that routes lead back to has any number of attempts, and looking for each costs.
    if (claim.attempt_id === 1) return;
    const key = `${claim.job_id}/${claim.run_id}`;
    for (let attempt_id = this.cleanedUp.get(key) ?? 1; attempt_id < claim.attempt_id; attempt_id += 1) {
      const { workDir, scriptPath } = attemptFiles({ ...claim, attempt_id }, this.stateDir);
      rmSync(workDir, { recursive: true, force: true });
      rmSync(scriptPath, { force: true });
    }
    this.cleanedUp.set(key, claim.attempt_id);
  }
}
