import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { CHANGED_MEANWHILE, type FileState, MISSING } from '../core/files/file-mark.ts';

/** Of a directory with more entries only the existence is compared. */
const MOST_ENTRIES = 10_000;
const CHUNK_BYTES = 1024 * 1024;

/** What shows that a file is still the one that was seen: any write changes one of them. */
export interface FileFacts {
  kind: FileState['kind'];
  size: number | null;
  mtime_ns: string | null;
  ctime_ns: string | null;
  inode: string | null;
}

const NO_FACTS: FileFacts = { kind: 'missing', size: null, mtime_ns: null, ctime_ns: null, inode: null };

/** One `stat`; a symbolic link is followed. A path that cannot be looked at counts as missing. Never throws. */
export function factsOf(path: string): FileFacts {
  try {
    return factsIn(statSync(path, { bigint: true }));
  } catch {
    return NO_FACTS;
  }
}

function factsIn(stats: BigIntStats): FileFacts {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
    size: stats.isFile() ? Number(stats.size) : null,
    mtime_ns: stats.isFile() ? String(stats.mtimeNs) : null,
    ctime_ns: String(stats.ctimeNs),
    inode: String(stats.ino),
  };
}

export function sameFacts(a: FileFacts, b: FileFacts): boolean {
  return (
    a.kind === b.kind &&
    a.size === b.size &&
    a.mtime_ns === b.mtime_ns &&
    a.ctime_ns === b.ctime_ns &&
    a.inode === b.inode
  );
}

/** What is known without reading. */
export function unread({ kind, size, mtime_ns }: FileFacts, problem: string | null): FileState {
  return { kind, size, mtime_ns, hash: null, problem };
}

/** A path with size and time, and with the hash of what is not above `maxBytes` (-1: without a hash). Never throws. */
export function lookAtFile(path: string, maxBytes: number, facts: FileFacts = factsOf(path)): FileState {
  if (facts.kind === 'missing') return MISSING;
  if (facts.kind === 'directory') return lookAtDirectory(path, maxBytes);
  if (facts.kind === 'other' || facts.size! > maxBytes) return unread(facts, null);
  return hashFile(path, facts);
}

/** The hash of a file, unless it is not, or no longer, the one that was seen. */
function hashFile(path: string, seen: FileFacts): FileState {
  let descriptor: number;
  try {
    // A pipe that came in its place would never open.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return unread(seen, problemOf(error));
  }
  try {
    const isSeen = () => sameFacts(seen, factsIn(fstatSync(descriptor, { bigint: true })));
    if (!isSeen()) return unread(seen, CHANGED_MEANWHILE);
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(seen.size!, 1)));
    for (let count = -1; count !== 0; ) {
      count = readSync(descriptor, chunk, 0, chunk.length, null);
      hash.update(chunk.subarray(0, count));
    }
    if (!isSeen()) return unread(seen, CHANGED_MEANWHILE);
    return { ...unread(seen, null), hash: hash.digest('hex') };
  } catch (error) {
    return unread(seen, problemOf(error));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A directory as one file: its size is that of all files in it, its time the newest, and its hash that of all names and
 * contents. Symbolic links in it are not followed; where they lead is part of the content.
 */
function lookAtDirectory(path: string, maxBytes: number): FileState {
  const state: FileState = { kind: 'directory', size: null, mtime_ns: null, hash: null, problem: null };
  try {
    const { entries, size, newest } = walk(path);
    const read = { ...state, size, mtime_ns: String(newest) };
    return size > maxBytes ? read : { ...read, hash: hashEntries(path, entries) };
  } catch (error) {
    return { ...state, problem: problemOf(error) };
  }
}

interface Entry {
  name: string;
  stats: BigIntStats;
}

function walk(root: string): { entries: Entry[]; size: number; newest: bigint } {
  const entries: Entry[] = [];
  let size = 0;
  let newest = lstatSync(root, { bigint: true }).mtimeNs;
  const enter = (directory: string, prefix: string) => {
    for (const name of readdirSync(directory)) {
      if (entries.length === MOST_ENTRIES) throw new Error(`it has more than ${MOST_ENTRIES} entries`);
      const stats = lstatSync(join(directory, name), { bigint: true });
      entries.push({ name: prefix + name, stats });
      if (stats.mtimeNs > newest) newest = stats.mtimeNs;
      if (stats.isFile()) size += Number(stats.size);
      if (stats.isDirectory()) enter(join(directory, name), `${prefix}${name}/`);
    }
  };
  enter(root, '');
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), size, newest };
}

function hashEntries(root: string, entries: readonly Entry[]): string {
  const hash = createHash('sha256');
  for (const { name, stats } of entries)
    hash.update(JSON.stringify([name, contentOf(join(root, name), stats)]));
  return hash.digest('hex');
}

function contentOf(path: string, stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (!stats.isFile()) return stats.isDirectory() ? 'directory' : 'other';
  const { hash, problem } = hashFile(path, factsIn(stats));
  if (hash === null) throw new Error(`${path}: ${problem}`);
  return hash;
}

function problemOf(error: unknown): string {
  return `it cannot be read: ${(error as Error).message}`;
}
