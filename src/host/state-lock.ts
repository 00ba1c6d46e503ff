import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../core/errors.ts';
import { makeDirectory } from './make-directory.ts';
import { makeStateDirectory } from './private-state.ts';
import { isProcessAlive, type ProcessIdentity, processIdentity } from './process-identity.ts';

/**
 * Makes this process the only worker of a state directory, until it ends or calls what is returned; refused while
 * another one is.
 *
 * Each holder has a file with a number of its own, and the highest number holds the lock if its process lives. A file
 * with the next number is made by a link, which only one can do, and only lower numbers are ever removed: whoever read
 * an old list finds a higher number when it looks again.
 */
export function lockState(stateDir: string): () => void {
  makeStateDirectory(stateDir);
  const directory = join(stateDir, 'workers');
  makeDirectory(directory, 0o700);
  const draft = join(directory, `draft-${process.pid}`);
  writeFileSync(draft, JSON.stringify(processIdentity()));
  try {
    for (;;) {
      const highest = highestNumber(directory);
      if (highest > 0) refuseIfAlive(stateDir, fileOf(directory, highest));
      const own = highest + 1;
      if (!linked(draft, fileOf(directory, own))) continue;
      if (highestNumber(directory) === own) {
        removeBelow(directory, own);
        return () => {
          if (holdsState(stateDir)) writeFileSync(fileOf(directory, own), RELEASED);
        };
      }
      rmSync(fileOf(directory, own), { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

const RELEASED = 'released';

/** Whether this process has the lock, and the directory was not removed under it since. */
export function holdsState(stateDir: string): boolean {
  const directory = join(stateDir, 'workers');
  try {
    const holder = JSON.parse(
      readFileSync(fileOf(directory, highestNumber(directory)), 'utf8'),
    ) as ProcessIdentity;
    return holder.pid === process.pid && holder.host === processIdentity().host;
  } catch {
    return false;
  }
}

function numbers(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const number = /^(\d+)\.lock$/.exec(name)?.[1];
    return number === undefined ? [] : Number(number);
  });
}

function highestNumber(directory: string): number {
  return Math.max(0, ...numbers(directory));
}

function fileOf(directory: string, number: number): string {
  return join(directory, `${number}.lock`);
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A process of another host cannot be asked, and counts as alive. */
function refuseIfAlive(stateDir: string, file: string): void {
  let holder: ProcessIdentity;
  try {
    holder = JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    // Released, or removed meanwhile.
    return;
  }
  if (isProcessAlive(holder) === false) return;
  throw new HoldfastError('WORKER_ACTIVE', { path: stateDir, pid: holder.pid, host: holder.host });
}

function removeBelow(directory: string, own: number): void {
  for (const number of numbers(directory)) {
    if (number < own) rmSync(fileOf(directory, number), { force: true });
  }
}
