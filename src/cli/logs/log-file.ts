import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Where the last `lines` lines of the open file begin; reads backwards, whatever its size. */
export function tailOffset(file: number, lines: number): number {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let end = fstatSync(file).size;
  // A newline that ends the file ends its last line, it does not begin another.
  let left = lines;
  let isLastByte = true;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const length = readSync(file, buffer, 0, end - start, start);
    for (let index = length - 1; index >= 0; index -= 1) {
      if (buffer[index] === NEWLINE && !isLastByte) {
        left -= 1;
        if (left === 0) return start + index + 1;
      }
      isLastByte = false;
    }
    end = start;
  }
  return 0;
}

/** The last lines of a log for people to read; none if it cannot be read. */
export function readTail(path: string, lines: number, maxBytes = Number.POSITIVE_INFINITY): string[] {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(file);
    const start = Math.max(tailOffset(file, lines), size - maxBytes);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    const length = readSync(file, buffer, 0, buffer.length, start);
    const text = buffer.toString('utf8', 0, length).replace(/\n$/, '');
    return text === '' ? [] : text.split('\n').map((line) => line.replace(/\r$/, ''));
  } finally {
    closeSync(file);
  }
}
