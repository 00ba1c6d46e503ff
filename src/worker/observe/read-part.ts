import { closeSync, constants, fstatSync, open, read } from 'node:fs';
import { promisify } from 'node:util';

const opened = promisify(open);
const filled = promisify(read);

/** Bytes of a file, and how many it has. */
export interface FilePart {
  bytes: Buffer;
  size: number;
}

/**
 * The part of a file that `choose` names by the file's size; null if it is no regular file. Only opening and reading can
 * wait for a disk, so only these go to the thread pool: every trip there costs a wake-up of two threads, and an empty
 * file costs one trip.
 */
export async function readPart(
  path: string,
  choose: (size: number) => { start: number; length: number },
): Promise<FilePart | null> {
  // A pipe would keep the reader waiting for ever.
  const file = await opened(path, constants.O_RDONLY | constants.O_NONBLOCK);
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
