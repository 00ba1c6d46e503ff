import { rmSync } from 'node:fs';
import type { Claim } from '../core/engine.ts';
import { attemptFiles } from './spawn-order.ts';

/** Removes what failed attempts before this one kept; the launcher has removed its own. */
export function cleanUpEarlierAttempts(claim: Claim, stateDir: string): void {
  for (let attempt_id = 1; attempt_id < claim.attempt_id; attempt_id += 1) {
    const { workDir, scriptPath } = attemptFiles({ ...claim, attempt_id }, stateDir);
    rmSync(workDir, { recursive: true, force: true });
    rmSync(scriptPath, { force: true });
  }
}
