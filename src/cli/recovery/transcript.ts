import type { Secrets } from '../../core/text/secrets.ts';
import { TerminalSafe } from '../logs/terminal-safe.ts';

/** How much of what a program wrote is kept: the end of it. */
const KEPT_BYTES = 64 * 1024;
const COLOUR = /\x1b\[[\d;:]*m/g;

/** What a program wrote, bounded, and harmless wherever it is shown. */
export class Transcript {
  #chunks: Buffer[] = [];
  #bytes = 0;
  omittedBytes = 0;

  readonly add = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > 2 * KEPT_BYTES) this.#cut();
  };

  text(secrets: Secrets): string {
    this.#cut();
    const safe = new TerminalSafe();
    const text = (safe.feed(Buffer.concat(this.#chunks)) + safe.end()).replace(COLOUR, '');
    // What was cut off may have begun a secret or a character.
    const whole = this.omittedBytes > 0 ? text.slice(text.indexOf('\n') + 1) : text;
    return secrets.text(whole);
  }

  #cut(): void {
    const all = Buffer.concat(this.#chunks);
    const kept = all.subarray(Math.max(0, all.length - KEPT_BYTES));
    this.omittedBytes += all.length - kept.length;
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }
}
