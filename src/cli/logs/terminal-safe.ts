import { StringDecoder } from 'node:string_decoder';

const COLOUR = /^\x1b\[[\d;:]*m$/;
/** Complete escape sequences: CSI, OSC and other strings up to their end, and two-character ones. */
export const ESCAPE =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[\x20-\x2f]*[\x30-\x5a\x60-\x7e\\])/g;
/** The start of a sequence whose end may be in the next chunk. */
const UNFINISHED = /\x1b(?:\[[\x20-\x3f]*|[\]PX^_][^\x07\x1b]*\x1b?|[\x20-\x2f]*)$/;
/** A sequence that does not end within this much is no sequence. */
const LONGEST_SEQUENCE = 4096;
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;

/**
 * Makes a log harmless on a terminal, chunk by chunk: colours stay, everything that moves the cursor,
 * changes titles or asks the terminal something goes.
 */
export class TerminalSafe {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  feed(chunk: Buffer): string {
    return this.#clean(this.#rest + this.#decoder.write(chunk), false);
  }

  end(): string {
    return this.#clean(this.#rest + this.#decoder.end(), true);
  }

  #clean(text: string, isEnd: boolean): string {
    const unfinished = isEnd ? null : UNFINISHED.exec(text);
    const cut = unfinished && unfinished[0].length <= LONGEST_SEQUENCE ? unfinished.index : text.length;
    this.#rest = text.slice(cut);
    const kept = text
      .slice(0, cut)
      .replace(ESCAPE, (sequence) => (COLOUR.test(sequence) ? sequence : ''))
      .replace(CONTROLS, '');
    // An escape that began no known sequence must not meet the text after it.
    return kept.replace(/\x1b(?!\[[\d;:]*m)/g, '');
  }
}
