import { existsSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const STATE_DIR = '.holdfast';

/** The state directory without --dir and HOLDFAST_DIR. */
export interface FoundState {
  path: string;
  /** It is that of a directory above. */
  isAbove: boolean;
}

/**
 * The state of the directory, or of the nearest directory above it that has one; where there is none, it would be made
 * in the directory itself. As with Git, one project has one state, whichever of its directories a command is given in.
 *
 * The search ends below the home directory and at the border of a file system, and takes no state that belongs to another
 * user or that lies where everybody can write: its configuration says which programs are started.
 */
export function findStateDir(from: string, home: string): FoundState {
  const here = stateDirIn(from);
  const start = facts(from);
  if (existsSync(here.path) || start === null || resolve(from) === resolve(home)) return here;
  for (
    let directory = dirname(resolve(from));
    directory !== dirname(directory);
    directory = dirname(directory)
  ) {
    const above = facts(directory);
    if (directory === resolve(home) || above?.dev !== start.dev) break;
    const path = join(directory, STATE_DIR);
    if (isTrusted(above) && isOwnState(path)) return { path, isAbove: true };
  }
  return here;
}

/** The state of the directory itself, whether there is one or not. */
export function stateDirIn(directory: string): FoundState {
  return { path: resolve(directory, STATE_DIR), isAbove: false };
}

/** A directory that only has that name is none. */
function isOwnState(path: string): boolean {
  const state = facts(path);
  if (state === null || !state.isDirectory() || !isTrusted(state)) return false;
  const isOwn = process.getuid === undefined || state.uid === process.getuid();
  return isOwn && (existsSync(join(path, 'holdfast.db')) || existsSync(join(path, 'config.yaml')));
}

function isTrusted({ mode }: Stats): boolean {
  return (mode & 0o002) === 0;
}

function facts(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}
