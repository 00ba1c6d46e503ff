import type { LogReader } from '../../contract/log-reader.ts';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Where the last `lines` lines begin, as far as they are kept; reads backwards, whatever the size of the log. */
export async function tailOffset(read: LogReader, lines: number): Promise<number> {
  let left = lines;
  let chunk = await read(-CHUNK_BYTES, CHUNK_BYTES);
  // A newline that ends the log ends its last line, it does not begin another.
  let isLastByte = true;
  while (chunk !== null && chunk.data.length > 0) {
    const { data, offset } = chunk;
    for (let index = data.length - 1; index >= 0; index -= 1) {
      if (data[index] === NEWLINE && !isLastByte) {
        left -= 1;
        if (left === 0) return offset + index + 1;
      }
      isLastByte = false;
    }
    const start = Math.max(0, offset - CHUNK_BYTES);
    const before = offset === 0 ? null : await read(start, offset - start);
    // What was kept begins where the last piece did.
    if (before === null || before.offset >= offset) return offset;
    chunk = before;
  }
  return chunk?.offset ?? 0;
}

/** The last lines of a log for people to read; none if there is no such log. */
export async function tailLines(read: LogReader, lines: number, maxBytes: number): Promise<string[]> {
  const chunk = await read(-maxBytes, maxBytes);
  const text = Buffer.from(chunk?.data ?? [])
    .toString('utf8')
    .replace(/\n$/, '');
  if (text === '') return [];
  return text
    .split('\n')
    .slice(-lines)
    .map((line) => line.replace(/\r$/, ''));
}
