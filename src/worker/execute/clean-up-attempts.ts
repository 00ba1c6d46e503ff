import { rmSync } from 'node:fs';
import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import { causeOf } from '../../core/job/outcome.ts';
import type { PostResult } from '../../core/job/post-result.ts';
import { DISCARDED } from '../../core/job/stdio.ts';
import { attemptFiles, attemptLogs, type SpawnSettings } from './spawn-order.ts';

/** Removes the files of an attempt that were kept for its post script. */
export function removeWorkDirectory(
  claim: Claim,
  { stateDir, keepWork }: SpawnSettings,
  succeeded: boolean,
): void {
  if (keepWork === 'all' || (keepWork === 'failed' && !succeeded)) return;
  removeFiles(claim, stateDir);
}

function removeFiles(claim: Claim, stateDir: string): void {
  const { workDir, scriptPath, outcomePath } = attemptFiles(claim, stateDir);
  rmSync(workDir, { recursive: true, force: true });
  rmSync(scriptPath, { force: true });
  if (claim.config.post !== null) rmSync(outcomePath, { force: true });
}

/** The attempt succeeded, and its job keeps no logs of that. */
export function isWithoutLogs(
  { config }: Claim,
  { outcome }: FinishReport,
  post: PostResult | null,
): boolean {
  return config.stdio.delete_on_success && causeOf(outcome) === null && (post?.exit_code ?? 0) === 0;
}

/** Removes the logs of an attempt. */
export function removeLogs(claim: Claim, stateDir: string): void {
  const { stdout, stderr } = attemptLogs(claim, stateDir);
  for (const path of [stdout, stderr]) if (path !== DISCARDED) rmSync(path, { force: true });
}

/** What is forgotten is looked for again, which costs little. */
const MOST_REMEMBERED = 1_000;

/** What failed attempts left behind, of the jobs of one worker. */
export class KeptAttempts {
  readonly #stateDir: string;
  /** By job and run, the last attempt before which nothing is left. */
  readonly #cleanedUp = new Map<string, number>();

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  /** Removes what attempts before this one kept; the launcher has removed its own. */
  cleanUpBefore(claim: Claim): void {
    // A job that routes lead back to has any number of attempts, and looking for each costs.
    if (claim.attempt_id === 1) return;
    const key = `${claim.job_id}/${claim.run_id}`;
    for (let attempt_id = this.#cleanedUp.get(key) ?? 1; attempt_id < claim.attempt_id; attempt_id += 1) {
      removeFiles({ ...claim, attempt_id }, this.#stateDir);
    }
    this.#cleanedUp.set(key, claim.attempt_id);
    if (this.#cleanedUp.size > MOST_REMEMBERED) this.#cleanedUp.delete(this.#cleanedUp.keys().next().value!);
  }
}
