import { accessSync, constants, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { delimiter, resolve } from 'node:path';

const found = new Map<string, string>();

/** Found once and by the launcher's own PATH: a job may set another one for itself. */
export function findProgram(name: 'bash' | 'srun'): string {
  const known = found.get(name);
  if (known !== undefined) return known;
  const absolute = directoriesOf(process.env.PATH).filter((directory) => directory.startsWith('/'));
  found.set(name, firstIn(absolute, name, '/') ?? `/bin/${name}`);
  return found.get(name)!;
}

/** The program of a job's own shell, by the PATH of the job and from its directory. Throws as `spawn` does. */
export function findJobProgram(name: string, path: string | undefined, cwd: string): string {
  const candidate = findOnPath(name, path, cwd);
  if (candidate !== undefined) return candidate;
  const missing: NodeJS.ErrnoException = new Error(`${name} is not on the PATH`);
  missing.code = 'ENOENT';
  missing.errno = -system.errno.ENOENT;
  throw missing;
}

export function findOnPath(name: string, path: string | undefined, cwd: string): string | undefined {
  return name.includes('/') ? resolve(cwd, name) : firstIn(directoriesOf(path), name, cwd);
}

function directoriesOf(path = ''): string[] {
  return path.split(delimiter).filter((directory) => directory !== '');
}

function firstIn(directories: readonly string[], name: string, cwd: string): string | undefined {
  return directories.map((directory) => resolve(cwd, directory, name)).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
