import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing. `mkdirSync` with `recursive` does not return where a file system answers
 * ENOENT below a directory that exists, as /proc and some automounters do.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path && !existsSync(above)) makeDirectory(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
