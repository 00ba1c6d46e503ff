import type { WriteStream } from 'node:tty';
import type { Engine } from '../../contract/engine.ts';
import { displayWidth } from '../terminal/display-width.ts';
import { lineText, type Paint, paintLine, type StyledLine } from '../terminal/styled-line.ts';
import type { Progress } from './progress.ts';
import type { ScreenSize } from './progress-frame.ts';

const MIN_FRAME_MS = 100;
const TICK_MS = 1000;

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_LINE_END = '\x1b[K';

/** What a screen shows. */
export interface FrameSource {
  /** Looks at the engine again. Returns in how many ms it has to look once more, even if nothing changes; null: not at all. */
  read(): Promise<number | null>;
  /** No more lines than the screen has rows, and none wider than it. Called after `read`. */
  frame(size: ScreenSize, now: number, note: string | null): StyledLine[];
}

/** One screen, redrawn in place on a terminal: when something was committed, and once a second for the clocks. */
export class LiveProgress implements Progress {
  readonly #source: FrameSource;
  readonly #screen: WriteStream;
  readonly #paint: Paint;
  readonly #unsubscribe: () => void;
  readonly #tick: NodeJS.Timeout;
  #isRead = false;
  #drawn: StyledLine[] = [];
  #shownNote: string | null = null;
  /** Something was committed since the last look. */
  #stale = true;
  /** Something asked for a frame while one was on its way. */
  #wanted = false;
  #next: NodeJS.Timeout | null = null;
  /** The look that the source asked for. */
  #again: NodeJS.Timeout | null = null;
  #drawing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(engine: Pick<Engine, 'onChange'>, source: FrameSource, screen: WriteStream, paint: Paint) {
    this.#source = source;
    this.#screen = screen;
    this.#paint = paint;
    process.on('exit', this.#restore);
    this.#screen.on('resize', this.#schedule);
    this.#unsubscribe = engine.onChange(this.#look);
    this.#tick = setInterval(this.#look, TICK_MS);
    this.#schedule();
  }

  note(text: string): void {
    this.#shownNote = text;
    this.#schedule();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#tick);
    this.#lookIn(null);
    if (this.#next !== null) clearTimeout(this.#next);
    this.#unsubscribe();
    this.#screen.off('resize', this.#schedule);
    await this.#drawing;
    this.#restore();
    process.off('exit', this.#restore);
    if (this.#shownNote !== null) this.#screen.write(`${this.#shownNote}\n`);
  }

  /** Also runs when the process exits by an exception. */
  readonly #restore = (): void => {
    this.#screen.write(`${this.#toTop()}${CLEAR_BELOW}`);
    this.#drawn = [];
  };

  readonly #look = (): void => {
    this.#stale = true;
    this.#schedule();
  };

  #lookIn(ms: number | null): void {
    if (this.#again !== null) clearTimeout(this.#again);
    this.#again = ms === null || this.#stopped ? null : setTimeout(this.#look, ms);
  }

  readonly #schedule = (): void => {
    this.#wanted = true;
    if (this.#stopped || this.#next !== null) return;
    this.#next = setTimeout(() => {
      this.#wanted = false;
      this.#drawing = this.#draw().finally(() => {
        this.#next = null;
        if (this.#wanted) this.#schedule();
      });
    }, MIN_FRAME_MS);
  };

  async #draw(): Promise<void> {
    if (this.#stale || !this.#isRead) {
      this.#stale = false;
      try {
        this.#lookIn(await this.#source.read());
        this.#isRead = true;
      } catch {
        // A look that failed is repeated with the next tick; the run itself reports what is wrong.
        return;
      }
    }
    if (this.#stopped) return;
    const size = { columns: this.#screen.columns || 80, rows: this.#screen.rows || 24 };
    const frame = this.#source.frame(size, Date.now(), this.#shownNote);
    const body = frame.map((line) => `${paintLine(line, this.#paint)}${CLEAR_LINE_END}`).join('\r\n');
    // Hidden for no longer than the drawing takes: a process that is killed or suspended leaves it as it was.
    this.#screen.write(
      `${BEGIN_UPDATE}${HIDE_CURSOR}${this.#toTop()}${body}${CLEAR_BELOW}${SHOW_CURSOR}${END_UPDATE}`,
    );
    this.#drawn = frame;
  }

  /** To the first row of the last frame, which takes more rows if the terminal was made narrower since. */
  #toTop(): string {
    const columns = this.#screen.columns || 80;
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(lineText(line)) / columns)),
      0,
    );
    const up = Math.min(rows, this.#screen.rows || 24) - 1;
    return up > 0 ? `\r\x1b[${up}A` : '\r';
  }
}
