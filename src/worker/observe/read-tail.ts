import { type ReadsPart, readPart } from './read-part.ts';

/** The end of a file as text; '' if it cannot be read or is no file. */
export async function readTail(path: string, bytes: number, read: ReadsPart = readPart): Promise<string> {
  try {
    const part = await read(path, (size) => ({
      start: Math.max(0, size - bytes),
      length: Math.min(size, bytes),
    }));
    if (part === null) return '';
    return part.bytes.toString('utf8', part.size <= bytes ? 0 : firstCharacter(part.bytes));
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
