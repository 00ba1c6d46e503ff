import { closeSync, constants, fstatSync, open, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';

const opened = promisify(open);
const filled = promisify(read);

// A pipe would keep the reader waiting for ever.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** Bytes of a file, and how many it has. */
export interface FilePart {
  bytes: Buffer;
  size: number;
}

/** Which bytes, given the size of the file. */
type ChoosesPart = (size: number) => { start: number; length: number };

/** Reads the part of a file that `choose` names; null if it is no regular file. */
export type ReadsPart = (path: string, choose: ChoosesPart) => Promise<FilePart | null> | FilePart | null;

/**
 * Only opening and reading can wait for a disk, so only these go to the thread pool: every trip there costs a wake-up of
 * two threads, and an empty file costs one trip.
 */
export async function readPart(path: string, choose: ChoosesPart): Promise<FilePart | null> {
  const file = await opened(path, FLAGS);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) return null;
    const { start, length } = choose(facts.size);
    if (length === 0) return { bytes: Buffer.alloc(0), size: facts.size };
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await filled(file, buffer, 0, length, start);
    return { bytes: buffer.subarray(0, bytesRead), size: facts.size };
  } finally {
    closeSync(file);
  }
}

/** For a program that has nothing else to do: it starts no threads. */
export function readPartBlocking(path: string, choose: ChoosesPart): FilePart | null {
  const file = openSync(path, FLAGS);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) return null;
    const { start, length } = choose(facts.size);
    const buffer = Buffer.alloc(length);
    const bytesRead = readSync(file, buffer, 0, length, start);
    return { bytes: buffer.subarray(0, bytesRead), size: facts.size };
  } finally {
    closeSync(file);
  }
}
