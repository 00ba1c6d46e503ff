import type { Readable, Writable } from 'node:stream';

/** Calls back with every JSON line of a stream. */
export function readLines(stream: Readable, onLine: (value: unknown) => void): void {
  let pending = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    let searchFrom = pending.length;
    pending += chunk;
    let start = 0;
    for (;;) {
      const end = pending.indexOf('\n', searchFrom);
      if (end < 0) break;
      onLine(JSON.parse(pending.slice(start, end)));
      start = end + 1;
      searchFrom = start;
    }
    pending = pending.slice(start);
  });
}

/** Writes JSON lines; those of one turn of the event loop share a write, and some can wait for later ones. */
export class LineWriter {
  readonly #stream: Writable;
  #pending = '';
  #planned = false;
  #later: NodeJS.Timeout | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // A reader that is gone is noticed by its exit or by the end of the other direction.
    stream.on('error', () => {});
  }

  /** Waking the reader costs more than the line itself, so a line may say how long it can wait for others. */
  write(value: unknown, canWaitMs = 0): void {
    this.#pending += `${JSON.stringify(value)}\n`;
    if (canWaitMs > 0) {
      this.#later ??= setTimeout(() => this.flush(), canWaitMs);
    } else if (!this.#planned) {
      this.#planned = true;
      setImmediate(() => this.flush());
    }
  }

  flush(written?: () => void): void {
    const lines = this.#pending;
    this.#pending = '';
    this.#planned = false;
    clearTimeout(this.#later);
    this.#later = undefined;
    if (lines !== '' || written) this.#stream.write(lines, () => written?.());
  }
}
