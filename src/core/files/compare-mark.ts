import type { FileMark, FileState } from './file-mark.ts';
import type { StaleReason } from './stale-reason.ts';

/**
 * How a file differs from its mark. `unknown`: size and time differ or are not known, and the hash that decides has not
 * been computed yet.
 */
export type Difference = 'same' | 'changed' | 'missing' | 'appeared' | 'unknown';

/**
 * Compares a file with what an attempt found or left. Size and time come first: equal ones are not read. A file that was
 * only touched has the same hash, and is the same.
 */
export function compareMark(mark: FileMark, now: FileState): Difference {
  if (now.kind === 'missing') return mark.kind === 'missing' ? 'same' : 'missing';
  if (mark.kind === 'missing') return 'appeared';
  if (mark.size === null || mark.mtime_ns === null) return 'same';
  if (mark.kind !== now.kind) return 'changed';
  if (mark.size !== now.size && now.size !== null) return 'changed';
  if (mark.mtime_ns === now.mtime_ns) return 'same';
  // Without a hash the time is all there is.
  if (mark.hash === null) return 'changed';
  if (now.hash !== null) return now.hash === mark.hash ? 'same' : 'changed';
  return now.problem === null ? 'unknown' : 'changed';
}

/** Why a job is out of date because of one of its files; null: it is not. */
export function staleReason({ path, role }: FileMark, difference: Difference): StaleReason | null {
  if (role === 'output') {
    if (difference === 'missing') return { kind: 'output_missing', path };
    return difference === 'changed' ? { kind: 'output_changed', path } : null;
  }
  // An input that a job writes is the matter of that job; one that is given has to exist before anything runs.
  return difference === 'changed' || difference === 'appeared' ? { kind: 'input_changed', path } : null;
}
