import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * Part of a file below a directory; null if it is not there. Links that lead out of the directory are not followed:
 * then there is no such file.
 */
export async function readFileRange(
  directory: string,
  path: string,
  choose: (size: number) => { offset: number; limit: number },
): Promise<{ offset: number; data: Uint8Array; size: number } | null> {
  let file: FileHandle;
  try {
    const root = await realpath(directory);
    const real = await realpath(join(root, path));
    if (!real.startsWith(root + sep)) return null;
    // A job may have put anything in the place of its log: a pipe must not be waited for.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return null;
    const { size } = facts;
    const { offset, limit } = choose(size);
    const data = Buffer.alloc(Math.min(limit, size - offset));
    const { bytesRead } = await file.read(data, 0, data.length, offset);
    return { offset, data: data.subarray(0, bytesRead), size };
  } finally {
    await file.close();
  }
}
