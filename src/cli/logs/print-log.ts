import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import type { WriteStream } from 'node:tty';
import { HoldfastError } from '../../core/errors.ts';
import { tailOffset } from './log-file.ts';
import { TerminalSafe } from './terminal-safe.ts';

const CHUNK_BYTES = 256 * 1024;

/** Copies a log that may still grow to stdout: as it is into pipes and files, made harmless on a terminal. */
export class LogPrinter {
  private readonly out: WriteStream;
  private readonly file: FileHandle;
  private readonly safe: TerminalSafe | null;
  private readonly buffer = Buffer.alloc(CHUNK_BYTES);
  private position: number;

  private constructor(out: WriteStream, file: FileHandle, position: number) {
    this.out = out;
    this.file = file;
    this.position = position;
    this.safe = out.isTTY ? new TerminalSafe() : null;
  }

  /** null if there is no such file. */
  static async open(out: WriteStream, path: string, tail: number | undefined): Promise<LogPrinter | null> {
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      throw new HoldfastError('STATE_UNUSABLE', { path, problem: message }, error);
    }
    return new LogPrinter(out, file, tail === undefined ? 0 : tailOffset(file.fd, tail));
  }

  /** Prints what there is after what was printed before. */
  async printNew(): Promise<void> {
    for (;;) {
      const { bytesRead } = await this.file.read(this.buffer, 0, CHUNK_BYTES, this.position);
      if (bytesRead === 0) return;
      this.position += bytesRead;
      const bytes = this.buffer.subarray(0, bytesRead);
      // The buffer is used again before a slow reader has taken these bytes.
      await this.write(this.safe ? this.safe.feed(bytes) : Buffer.from(bytes));
    }
  }

  async close(): Promise<void> {
    if (this.safe) await this.write(this.safe.end());
    await this.file.close();
  }

  private async write(data: string | Buffer): Promise<void> {
    if (data.length > 0 && !this.out.write(data)) await once(this.out, 'drain');
  }
}
