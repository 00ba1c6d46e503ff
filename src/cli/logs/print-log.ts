import { once } from 'node:events';
import type { WriteStream } from 'node:tty';
import type { LogReader } from '../../contract/log-reader.ts';
import { tailOffset } from './log-tail.ts';
import { TerminalSafe } from './terminal-safe.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface PrintedLog {
  read: LogReader;
  /** Only the last lines of what there is at first; (default: everything). */
  tail?: number | undefined;
  /** Called where bytes before the ones that follow are not kept. */
  onGap: (bytes: number) => void;
}

/** Copies a log that may still grow to stdout: as it is into pipes and files, made harmless on a terminal. */
export class LogPrinter {
  readonly #out: WriteStream;
  readonly #source: PrintedLog;
  readonly #safe: TerminalSafe | null;
  #position: number | null = null;
  #printed = 0;

  constructor(out: WriteStream, source: PrintedLog) {
    this.#out = out;
    this.#source = source;
    this.#safe = out.isTTY ? new TerminalSafe() : null;
  }

  /** How many bytes of the log have been printed. */
  get printed(): number {
    return this.#printed;
  }

  /** Prints what there is after what was printed before. False if there is no such log, or not yet. */
  async printNew(more?: { follow: boolean }): Promise<boolean> {
    const { read, tail, onGap } = this.#source;
    let position = this.#position ?? (tail === undefined ? 0 : await tailOffset(read, tail));
    for (;;) {
      const chunk = await read(position, CHUNK_BYTES, more);
      if (chunk === null) return false;
      if (chunk.data.length === 0) break;
      if (chunk.offset > position) onGap(chunk.offset - position);
      position = chunk.offset + chunk.data.length;
      this.#printed += chunk.data.length;
      await this.#write(this.#safe ? this.#safe.feed(Buffer.from(chunk.data)) : chunk.data);
      this.#position = position;
    }
    this.#position = position;
    return true;
  }

  async end(): Promise<void> {
    if (this.#safe) await this.#write(this.#safe.end());
  }

  async #write(data: string | Uint8Array): Promise<void> {
    if (data.length > 0 && !this.#out.write(data)) await once(this.#out, 'drain');
  }
}
