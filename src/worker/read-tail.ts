import { open } from 'node:fs/promises';

/** The end of a file as text; '' if it cannot be read. */
export async function readTail(path: string, bytes: number): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - bytes);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      return buffer.toString('utf8', start === 0 ? 0 : firstCharacter(buffer), bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** The cut may have gone through a character, whose rest is left out. */
function firstCharacter(buffer: Buffer): number {
  let at = 0;
  while (at < 4 && (buffer[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
