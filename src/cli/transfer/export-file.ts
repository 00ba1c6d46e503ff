import { accessSync, constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { HoldfastError } from '../../core/errors.ts';
import { fileProblem } from '../file-problem.ts';

/** The longest line: a job, an attempt, or the end of a log. */
const MOST_LINE = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const PIECE = 256 * 1024;

/** Before anything is done for it. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new HoldfastError('INVALID_ARGUMENT', { argument: file, problem: EXISTS });
}

export function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw readingProblem(file, error);
  }
}

const EXISTS = 'exists already, and is left as it is';

/**
 * Writes a new file that only its owner can read, all of it or nothing. Returns its size. `chunks` of bytes or text.
 */
export async function writeCompressed(
  file: string,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<number> {
  refuseExisting(file);
  const partial = `${file}.${process.pid}.partial`;
  try {
    await pipeline(
      Readable.from(chunks, { objectMode: true }),
      createGzip(),
      createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
    );
    // Unlike a rename it never replaces a file that came meanwhile.
    await link(partial, file);
    return (await stat(file)).size;
  } catch (error) {
    throw writingProblem(file, error);
  } finally {
    await rm(partial, { force: true });
  }
}

function writingProblem(file: string, error: unknown): unknown {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  const problem = code === 'EEXIST' ? EXISTS : `cannot be written: ${message}`;
  return new HoldfastError('INVALID_ARGUMENT', { argument: file, problem }, error);
}

/** As the file has them, many at once: each piece that is compressed costs a way to another thread. */
export async function* joinedLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let some = '';
  for await (const line of lines) {
    some += `${line}\n`;
    if (some.length < PIECE) continue;
    yield some;
    some = '';
  }
  yield some;
}

/** The lines of a compressed file, which must not become longer than so many bytes. */
export async function* readCompressedLines(file: string, mostBytes: number): AsyncGenerator<string> {
  const source = createReadStream(file);
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  let total = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > mostBytes)
        throw unfit(`it unpacks to more than ${mostBytes} bytes; --max-size allows more`);
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...pieces, chunk.subarray(from, end)]).toString('utf8');
        pieces = [];
        length = 0;
        from = end + 1;
      }
      pieces.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MOST_LINE) throw unfit('it has a line that is too long');
    }
  } catch (error) {
    throw readingProblem(file, error);
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  if (length > 0) throw unfit('its end is missing: it was cut off');
}

function readingProblem(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return unfit(
      code === 'Z_BUF_ERROR' ? 'its end is missing: it was cut off' : `it cannot be unpacked (${message})`,
    );
  }
  if (error instanceof HoldfastError || code === undefined) return error;
  return new HoldfastError(
    'INVALID_ARGUMENT',
    { argument: file, problem: `cannot be read: ${fileProblem(error)}` },
    error,
  );
}

function unfit(problem: string): HoldfastError {
  return new HoldfastError('INVALID_EXPORT', { problem });
}
