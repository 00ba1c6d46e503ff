import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { HoldfastError } from '../../core/errors.ts';
import type { Database } from './database.ts';

/**
 * Writes a consistent copy of the database while others write to it. Only the owner can read the copy, it appears under its
 * name when all of it is on the disk, and a file of that name is never replaced.
 */
export function copyDatabase(database: Database, path: string): void {
  const draft = `${path}.${process.pid}.draft`;
  try {
    // SQLite writes into a file that is there only if it is empty.
    closeSync(openSync(draft, 'wx', 0o600));
    database.prepare('vacuum into ?').run(draft);
    const file = openSync(draft, 'r+');
    fsyncSync(file);
    closeSync(file);
    linkSync(draft, path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'EEXIST' ? 'exists already, and is left as it is' : `cannot be written: ${message}`;
    throw new HoldfastError('INVALID_ARGUMENT', { argument: path, problem }, error);
  } finally {
    rmSync(draft, { force: true });
  }
}
