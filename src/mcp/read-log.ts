import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

/** Much more than is ever shown, so that no secret is cut in two where the shown part begins. */
const WINDOW_BYTES = 256 * 1024;
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;
/** What is read at most to find a line by its number. */
const MAX_SCAN_BYTES = 256 * 1024 * 1024;

export interface LogPart {
  text: string;
  sizeBytes: number;
  /** There is more in the file than `text`. */
  isPart: boolean;
}

/** The end of a log; undefined if there is none. */
export function readLogEnd(path: string): Promise<LogPart | undefined> {
  return withLog(path, async (file, sizeBytes) => {
    const start = Math.max(0, sizeBytes - WINDOW_BYTES);
    const buffer = Buffer.alloc(sizeBytes - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    if (start === 0) return { text, sizeBytes, isPart: false };
    const firstBreak = text.indexOf('\n');
    return { text: text.slice(firstBreak < 0 ? 0 : firstBreak + 1), sizeBytes, isPart: true };
  });
}

export interface LogLines extends LogPart {
  /** The line after those read; null if the log ends there. */
  nextLine: number | null;
  /** The search was given up before the line was reached. */
  isTooFar: boolean;
}

/** Lines by their number, counted from 1, as many as fit; undefined if there is no log. */
export function readLogLines(
  path: string,
  fromLine: number,
  limits: { lines: number; bytes: number },
): Promise<LogLines | undefined> {
  return withLog(path, async (file, sizeBytes) => {
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const endLine = fromLine + limits.lines;
    let text = '';
    let line = 1;
    let position = 0;
    while (position < sizeBytes && line < endLine && text.length < WINDOW_BYTES) {
      if (position >= MAX_SCAN_BYTES) {
        return { text: '', sizeBytes, isPart: true, nextLine: null, isTooFar: true };
      }
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      let start = 0;
      while (start < bytesRead && line < endLine) {
        const found = chunk.indexOf(LINE_FEED, start);
        const end = found < 0 ? bytesRead : found + 1;
        if (line >= fromLine) text += decoder.write(chunk.subarray(start, end));
        if (found >= 0) line += 1;
        start = end;
      }
      position += start;
    }
    const fitting = firstLines(text, limits.bytes);
    const isAtEnd = position >= sizeBytes && fitting.text.length === text.length;
    return {
      text: fitting.text,
      sizeBytes,
      isPart: fromLine > 1 || !isAtEnd,
      nextLine: isAtEnd ? null : fromLine + fitting.count,
      isTooFar: false,
    };
  });
}

/** Whole lines; one that is too long by itself is there all the same. */
function firstLines(text: string, bytes: number): { text: string; count: number } {
  let end = 0;
  let count = 0;
  let used = 0;
  while (end < text.length) {
    const found = text.indexOf('\n', end);
    const next = found < 0 ? text.length : found + 1;
    used += Buffer.byteLength(text.slice(end, next));
    if (used > bytes && count > 0) break;
    end = next;
    count += 1;
  }
  return { text: text.slice(0, end), count };
}

/** Neither follows a link nor waits for a pipe: a job may have put anything in the place of its log. */
async function withLog<T>(
  path: string,
  read: (file: FileHandle, sizeBytes: number) => Promise<T>,
): Promise<T | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const facts = await file.stat();
    return facts.isFile() ? await read(file, facts.size) : undefined;
  } finally {
    await file.close();
  }
}
