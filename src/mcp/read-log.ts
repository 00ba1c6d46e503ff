import { StringDecoder } from 'node:string_decoder';
import type { LogReader } from '../contract/log-reader.ts';

/** Much more than is ever shown, so that no secret is cut in two where the shown part begins. */
const WINDOW_BYTES = 256 * 1024;
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;
/** What is read at most to find a line by its number. */
const MAX_SCAN_BYTES = 256 * 1024 * 1024;

export interface LogExcerpt {
  text: string;
  sizeBytes: number;
  /** There is more in the log than `text`. */
  isPart: boolean;
}

/** The end of a log; undefined if there is none. */
export async function readLogEnd(read: LogReader): Promise<LogExcerpt | undefined> {
  const chunk = await read(-WINDOW_BYTES, WINDOW_BYTES);
  if (chunk === null) return undefined;
  const text = Buffer.from(chunk.data).toString('utf8');
  const sizeBytes = chunk.size;
  if (chunk.offset === 0) return { text, sizeBytes, isPart: false };
  const firstBreak = text.indexOf('\n');
  return { text: text.slice(firstBreak < 0 ? 0 : firstBreak + 1), sizeBytes, isPart: true };
}

export interface LogLines extends LogExcerpt {
  /** The line after those read; null if the log ends there. */
  nextLine: number | null;
  /** The search was given up before the line was reached, or the beginning of the log is not kept here. */
  isTooFar: boolean;
}

/** Lines by their number, counted from 1, as many as fit; undefined if there is no log. */
export async function readLogLines(
  read: LogReader,
  fromLine: number,
  limits: { lines: number; bytes: number },
): Promise<LogLines | undefined> {
  const decoder = new StringDecoder('utf8');
  const endLine = fromLine + limits.lines;
  let text = '';
  let line = 1;
  let position = 0;
  let sizeBytes = 0;
  do {
    const piece = await read(position, CHUNK_BYTES);
    if (piece === null) return undefined;
    sizeBytes = piece.size;
    if (piece.offset !== position || position >= MAX_SCAN_BYTES) {
      return { text: '', sizeBytes, isPart: true, nextLine: null, isTooFar: true };
    }
    const chunk = Buffer.from(piece.data);
    if (chunk.length === 0) break;
    let start = 0;
    while (start < chunk.length && line < endLine) {
      const found = chunk.indexOf(LINE_FEED, start);
      const end = found < 0 ? chunk.length : found + 1;
      if (line >= fromLine) text += decoder.write(chunk.subarray(start, end));
      if (found >= 0) line += 1;
      start = end;
    }
    position += start;
  } while (position < sizeBytes && line < endLine && text.length < WINDOW_BYTES);
  const fitting = firstLines(text, limits.bytes);
  const isAtEnd = position >= sizeBytes && fitting.text.length === text.length;
  return {
    text: fitting.text,
    sizeBytes,
    isPart: fromLine > 1 || !isAtEnd,
    nextLine: isAtEnd ? null : fromLine + fitting.count,
    isTooFar: false,
  };
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
