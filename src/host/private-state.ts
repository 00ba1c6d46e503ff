import { chmodSync, closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makeDirectory } from './make-directory.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** What Holdfast keeps in a state directory. */
const OWN_NAMES =
  /^(holdfast\.db(-wal|-shm|-journal|\.v\d+-backup(\.\d+)?)?|wake|work|workers|launchers|launcher\.log|checkpoints|slurm|worker\.json(\.draft)?|config\.yaml)$/;

/**
 * Makes a state directory that only its owner can use, or makes an existing one so: specs, environments and logs hold
 * secrets. A directory under another name that has other files too, as with `--dir .`, keeps its mode.
 */
export function makeStateDirectory(path: string): void {
  if (!existsSync(path)) {
    makeDirectory(dirname(path));
    makeDirectory(path, DIRECTORY_MODE);
  }
  if (isOurs(path)) tighten(path, DIRECTORY_MODE);
}

/** Before SQLite opens the database: the files that it adds get the mode of the first one. */
export function makeDatabaseFiles(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) tighten(file, FILE_MODE);
}

function isOurs(path: string): boolean {
  return basename(path) === '.holdfast' || readdirSync(path).every((name) => OWN_NAMES.test(name));
}

/** Takes away what others may do; adds nothing. */
function tighten(path: string, mode: number): void {
  try {
    const { mode: before } = statSync(path);
    if ((before & 0o777 & ~mode) !== 0) chmodSync(path, before & mode);
  } catch (error) {
    // It belongs to another user, who lets us in; or it has just gone, as files of SQLite do.
    if (!['EPERM', 'ENOENT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
