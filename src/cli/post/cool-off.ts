import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileBlocking } from '../../worker/post/replace-file.ts';

/** Exit code by which DAGMan calls the script again later: `SCRIPT DEFER 75 60 POST …`. */
export const DEFERRED = 75;

/** A retry that waits for its time. */
export interface CoolOff {
  /** null: the run is not known. */
  run: number | null;
  attempt: number;
  return_code: number;
  /** Of the node's files when the attempt was classified. */
  evidence_ms: number;
  due_at_ms: number;
  /** What the script exits with when it is due. */
  exit_code: number;
}

const fileOf = (directory: string, node: string) => join(directory, `${node}.cooloff.json`);

/** The cool-off of this very attempt; null if there is none. */
export function readCoolOff(
  directory: string,
  node: string,
  of: Pick<CoolOff, 'run' | 'attempt' | 'return_code' | 'evidence_ms'>,
): CoolOff | null {
  try {
    const kept = JSON.parse(readFileSync(fileOf(directory, node), 'utf8')) as CoolOff;
    const isSame =
      kept.run === of.run &&
      kept.attempt === of.attempt &&
      kept.return_code === of.return_code &&
      kept.evidence_ms === of.evidence_ms &&
      Number.isInteger(kept.exit_code);
    return isSame ? kept : null;
  } catch {
    return null;
  }
}

export function beginCoolOff(directory: string, node: string, coolOff: CoolOff): void {
  replaceFileBlocking(fileOf(directory, node), `${JSON.stringify(coolOff)}\n`);
}

export function endCoolOff(directory: string, node: string): void {
  rmSync(fileOf(directory, node), { force: true });
}
