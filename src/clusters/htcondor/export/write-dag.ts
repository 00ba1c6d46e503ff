import { readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { HoldfastError } from '../../../core/errors.ts';
import { makeDirectory } from '../../../host/make-directory.ts';

/**
 * Writes the files of a DAG directory. Refuses a directory that has something in it, so that no run is lost, and one
 * under the system's temporary directory, where DAGMan refuses to run.
 */
export function writeDag(directory: string, files: ReadonlyMap<string, string>): void {
  const target = resolve(directory);
  checkPlace(target);
  makeDirectory(target);
  try {
    for (const folder of new Set([...files.keys()].map((path) => dirname(path)))) {
      makeDirectory(join(target, folder));
    }
    for (const [path, text] of files) {
      const mode = text.startsWith('#!') ? 0o755 : 0o644;
      writeFileSync(join(target, path), text, { mode, flag: 'wx' });
    }
  } catch (error) {
    // It was empty: nothing but what was written here is removed.
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true, force: true });
    throw refused(directory, (error as Error).message, error);
  }
}

/** Throws DAG_DIRECTORY if nothing can be written there. */
export function checkPlace(directory: string): void {
  const target = resolve(directory);
  const place = existingPart(target);
  for (const temporary of ['/tmp', tmpdir()]) {
    const real = existingPart(temporary);
    if (place === real || place.startsWith(`${real}${sep}`)) {
      throw refused(directory, `it is under ${temporary}, where DAGMan refuses to run`);
    }
  }
  try {
    if (readdirSync(target).length > 0) throw refused(directory, 'it is not empty');
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      throw refused(directory, code === 'ENOTDIR' ? 'it is not a directory' : message, error);
    }
  }
}

/** The path without links, as far as it exists. */
function existingPart(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(existingPart(parent), path.slice(parent.length));
  }
}

function refused(directory: string, problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('DAG_DIRECTORY', { directory, problem }, cause);
}
