import { randomUUID } from 'node:crypto';
import { isProcessAlive, type ProcessIdentity, processIdentity } from '../../host/process-identity.ts';

/** This process and the engine in it, under a name that no other has. */
export function ownPlanner(): string {
  return JSON.stringify({ ...processIdentity(), engine: randomUUID() });
}

/** It was on this host and has ended. False if it may still plan, as far as can be seen from here. */
export function isPlannerDead(planner: string): boolean {
  try {
    return isProcessAlive(JSON.parse(planner) as ProcessIdentity) === false;
  } catch {
    // A name that another version gave.
    return false;
  }
}
