import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { delimiter } from 'node:path';
import { plainWords } from '../../../core/job/plain-words.ts';
import { findOnPath, isProgram } from './find-program.ts';
import type { ProgramEnvironment } from './starter.ts';

interface DirectProgram {
  path: string;
  /** What the program sees as its own name. */
  name: string;
  words: string[];
  /** What bash would set. */
  variables: Record<string, string>;
}

/**
 * The program that bash would become for this command, which costs half of a short job; null where bash is needed: to know
 * what is meant, or to say what is wrong.
 */
export function directProgram(
  command: string,
  cwd: string,
  { shared, own }: ProgramEnvironment,
): DirectProgram | null {
  const words = plainWords(command);
  if (words === null || sharedConcernsBash(shared) || concernsBash(own)) return null;
  const [name, ...others] = words as [string, ...string[]];
  const searched = own.PATH ?? shared.PATH ?? '';
  if (!searched.split(delimiter).every((directory) => directory.startsWith('/'))) return null;
  const found = findOnPath(name, searched, cwd);
  const directory = logicalDirectory(own.PWD ?? shared.PWD, cwd);
  if (found === undefined || directory === null || !isExecutable(found)) return null;
  // A script sees the path that it was started by.
  const path = name.includes('/') ? name : found;
  const variables = { _: path, PWD: directory, SHLVL: own.SHLVL ?? shared.SHLVL ?? '0' };
  return { path, name, words: others, variables };
}

/** Variables that change what bash does with a command, exported functions among them. */
const FOR_BASH = /^(?:BASH|SHELLOPTS$|POSIXLY_CORRECT$)/;

function concernsBash(variables: NodeJS.ProcessEnv): boolean {
  for (const name in variables) if (FOR_BASH.test(name)) return true;
  return false;
}

const known = new WeakMap<NodeJS.ProcessEnv, boolean>();

/** The same object for all programs. */
function sharedConcernsBash(variables: NodeJS.ProcessEnv): boolean {
  const answer = known.get(variables) ?? concernsBash(variables);
  known.set(variables, answer);
  return answer;
}

/** Whether the kernel can run it; bash reads what it cannot as a script. */
function isExecutable(path: string): boolean {
  // To open a pipe is to wait for its writer.
  if (!isProgram(path)) return false;
  const start = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, start, 0, start.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return start.toString('latin1') === '\x7fELF' || start.toString('latin1', 0, 2) === '#!';
}

/** The name by which it was entered, if that is one; null if nothing can be started there. */
function logicalDirectory(name: string | undefined, cwd: string): string | null {
  if (name === cwd) return cwd;
  try {
    const here = statSync(cwd);
    const named = name?.startsWith('/') ? statSync(name, { throwIfNoEntry: false }) : undefined;
    return named?.ino === here.ino && named.dev === here.dev ? name! : realpathSync.native(cwd);
  } catch {
    return null;
  }
}
