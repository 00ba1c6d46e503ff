import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { ScreenSize } from '../progress/progress-frame.ts';
import { type Paint, paintLine, type StyledLine } from '../terminal/styled-line.ts';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J';
const LEAVE = '\x1b[0m\x1b[?25h\x1b[?1049l';
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';
const CLEAR_LINE_END = '\x1b[0m\x1b[K';

/** A terminal that is drawn on as a whole, and is as it was before when that ends, however the process ends. */
export class FullScreen {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #paint: Paint;
  readonly #onKey: (key: string) => void;
  readonly #onResize: () => void;
  #drawn: string[] = [];
  #isOpen = false;

  constructor(
    { input, output, paint }: { input: ReadStream; output: WriteStream; paint: Paint },
    onKey: (key: string) => void,
    onResize: () => void,
  ) {
    this.#input = input;
    this.#output = output;
    this.#paint = paint;
    this.#onKey = onKey;
    this.#onResize = onResize;
  }

  get size(): ScreenSize {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    process.on('exit', this.#restore);
    emitKeypressEvents(this.#input);
    this.#input.setRawMode(true);
    this.#input.on('keypress', this.#press);
    this.#input.resume();
    this.#output.on('resize', this.#resized);
    this.#output.write(ENTER);
    this.#drawn = [];
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#restore();
    this.#input.off('keypress', this.#press);
    this.#input.pause();
    this.#output.off('resize', this.#resized);
    process.off('exit', this.#restore);
  }

  /** Writes the lines that are different: a terminal may be far away. */
  draw(lines: readonly StyledLine[]): void {
    if (!this.#isOpen) return;
    const painted = lines.map((line) => paintLine(line, this.#paint));
    const changed = painted.flatMap((text, row) =>
      text === this.#drawn[row] ? [] : `\x1b[${row + 1};1H${text}${CLEAR_LINE_END}`,
    );
    this.#drawn = painted;
    if (changed.length > 0) this.#output.write(`${BEGIN_UPDATE}${changed.join('')}${END_UPDATE}`);
  }

  /** All of it is drawn again. */
  forget(): void {
    if (this.#isOpen) this.#output.write('\x1b[2J');
    this.#drawn = [];
  }

  readonly #resized = (): void => {
    this.forget();
    this.#onResize();
  };

  readonly #press = (text: string | undefined, key: Key): void => {
    this.#onKey(keyName(text, key));
  };

  /** Also runs when the process exits by an exception. */
  readonly #restore = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.setRawMode(false);
    this.#output.write(LEAVE);
  };
}

/** A printable character as it is; other keys by their names: `up`, `return`, `ctrl-c`. */
export function keyName(text: string | undefined, key: Key): string {
  if (key.ctrl === true && key.name !== undefined) return `ctrl-${key.name}`;
  if (text !== undefined && [...text].length === 1 && text >= ' ' && text !== '\x7f') return text;
  if (key.name === 'enter') return 'return';
  return key.name ?? '';
}
