import { open, realpath } from 'node:fs/promises';
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
  let real: string;
  try {
    const root = await realpath(directory);
    real = await realpath(join(root, path));
    if (!real.startsWith(root + sep)) return null;
  } catch {
    return null;
  }
  const file = await open(real, 'r');
  try {
    const { size } = await file.stat();
    const { offset, limit } = choose(size);
    const data = Buffer.alloc(Math.min(limit, size - offset));
    const { bytesRead } = await file.read(data, 0, data.length, offset);
    return { offset, data: data.subarray(0, bytesRead), size };
  } finally {
    await file.close();
  }
}
