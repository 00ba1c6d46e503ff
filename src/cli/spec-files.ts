import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SpecFiles } from '../spec/spec-files.ts';

/** Files of this machine, relative to the directory of a spec. */
export function filesBeside(spec: string): SpecFiles {
  const directory = spec === '-' ? '.' : dirname(spec);
  return {
    readText: (path) => reading(() => readFileSync(placeOf(directory, path), 'utf8')),
    listFiles: (pattern) => reading(() => matchingFiles(placeOf(directory, pattern))),
  };
}

function placeOf(directory: string, path: string): string {
  return path.startsWith('/') ? path : join(directory, path);
}

const PROBLEMS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'access is denied',
};

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(PROBLEMS[code ?? ''] ?? message, { cause: error });
  }
}

/** Sorted by their bytes. Names that begin with a dot are matched only by a dot, as in a shell. */
function matchingFiles(pattern: string): string[] {
  const isAbsolute = pattern.startsWith('/');
  const found = new Set<string>();
  walk(isAbsolute ? '/' : '', pattern.split('/').filter(Boolean), found);
  return [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function walk(directory: string, [segment, ...rest]: string[], found: Set<string>): void {
  if (segment === undefined) return;
  const at = (name: string) => (directory === '' ? name : join(directory, name));
  if (segment === '**') {
    walk(directory, rest, found);
    for (const entry of entriesOf(directory)) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) walk(at(entry.name), ['**', ...rest], found);
    }
    return;
  }
  if (!/[*?]/.test(segment)) {
    if (rest.length > 0) walk(at(segment), rest, found);
    else if (isFile(at(segment))) found.add(at(segment));
    return;
  }
  const matches = nameMatcher(segment);
  for (const entry of entriesOf(directory)) {
    if (!matches(entry.name)) continue;
    const path = at(entry.name);
    if (rest.length > 0) walk(path, rest, found);
    else if (entry.isFile() || (entry.isSymbolicLink() && isFile(path))) found.add(path);
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory === '' ? '.' : directory, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Goes back to the last star only, so that many stars do not take long. */
function nameMatcher(segment: string): (name: string) => boolean {
  const pattern = [...segment.replace(/\*+/g, '*')];
  return (name) => (!name.startsWith('.') || segment.startsWith('.')) && matchesName(pattern, [...name]);
}

function matchesName(pattern: readonly string[], name: readonly string[]): boolean {
  let [at, inName, star, afterStar] = [0, 0, -1, 0];
  while (inName < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      afterStar = inName;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[inName])) {
      at++;
      inName++;
    } else if (star >= 0) {
      at = star + 1;
      inName = ++afterStar;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
