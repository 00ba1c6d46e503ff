import { randomUUID } from 'node:crypto';
import { isProcessAlive, type ProcessIdentity, processIdentity } from './process-identity.ts';

/** A name for this process, or a part of it, that no other has. */
export function newProcessName(): string {
  return JSON.stringify({ ...processIdentity(), part: randomUUID() });
}

/** It was on this host and has ended. False if it may still be there, as far as can be seen from here. */
export function hasProcessEnded(name: string): boolean {
  try {
    return isProcessAlive(JSON.parse(name) as ProcessIdentity) === false;
  } catch {
    // A name that another version gave.
    return false;
  }
}
