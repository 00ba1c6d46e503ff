import type { WriteStream } from 'node:tty';
import type { Engine } from '../../core/engine.ts';
import type { WorkflowStatus } from '../../core/records.ts';
import { displayWidth } from '../output/display-width.ts';
import { lineText, type Paint, paintLine, type StyledLine } from '../output/styled-line.ts';
import { endedCount } from '../output/workflow-state.ts';
import type { Progress } from './progress.ts';
import { progressFrame, type Watch } from './progress-frame.ts';

const MIN_FRAME_MS = 100;
const TICK_MS = 1000;

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_LINE_END = '\x1b[K';

/** One screen, redrawn in place on a terminal: when something was committed, and once a second for the clocks. */
export class LiveProgress implements Progress {
  private readonly engine: Engine;
  private readonly workflowId: number;
  private readonly screen: WriteStream;
  private readonly paint: Paint;
  private readonly unsubscribe: () => void;
  private readonly tick: NodeJS.Timeout;
  private status: WorkflowStatus | null = null;
  private watch: Watch | null = null;
  private drawn: StyledLine[] = [];
  private shownNote: string | null = null;
  /** Something was committed since the last look. */
  private stale = true;
  /** Something asked for a frame while one was on its way. */
  private wanted = false;
  private next: NodeJS.Timeout | null = null;
  private drawing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(engine: Engine, workflowId: number, screen: WriteStream, paint: Paint) {
    this.engine = engine;
    this.workflowId = workflowId;
    this.screen = screen;
    this.paint = paint;
    this.screen.write(HIDE_CURSOR);
    process.on('exit', this.restore);
    this.screen.on('resize', this.schedule);
    this.unsubscribe = engine.onChange(() => {
      this.stale = true;
      this.schedule();
    });
    this.tick = setInterval(() => {
      this.stale = true;
      this.schedule();
    }, TICK_MS);
    this.schedule();
  }

  note(text: string): void {
    this.shownNote = text;
    this.schedule();
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    clearInterval(this.tick);
    if (this.next !== null) clearTimeout(this.next);
    this.unsubscribe();
    this.screen.off('resize', this.schedule);
    await this.drawing;
    this.restore();
    process.off('exit', this.restore);
    if (this.shownNote !== null) this.screen.write(`${this.shownNote}\n`);
  }

  /** Also runs when the process exits by an exception. */
  private readonly restore = (): void => {
    this.screen.write(`${this.toTop()}${CLEAR_BELOW}${SHOW_CURSOR}`);
    this.drawn = [];
  };

  private readonly schedule = (): void => {
    this.wanted = true;
    if (this.stopped || this.next !== null) return;
    this.next = setTimeout(() => {
      this.wanted = false;
      this.drawing = this.draw().finally(() => {
        this.next = null;
        if (this.wanted) this.schedule();
      });
    }, MIN_FRAME_MS);
  };

  private async draw(): Promise<void> {
    if (this.stale || this.status === null) {
      this.stale = false;
      try {
        this.status = await this.engine.status(this.workflowId);
      } catch {
        // A look that failed is repeated with the next tick; the run itself reports what is wrong.
        return;
      }
    }
    if (this.stopped) return;
    this.watch ??= { since: Date.now(), ended: endedCount(this.status.counts) };
    const size = { columns: this.screen.columns || 80, rows: this.screen.rows || 24 };
    const frame = progressFrame(this.status, size, Date.now(), { note: this.shownNote, watch: this.watch });
    const body = frame.map((line) => `${paintLine(line, this.paint)}${CLEAR_LINE_END}`).join('\r\n');
    this.screen.write(`${BEGIN_UPDATE}${this.toTop()}${body}${CLEAR_BELOW}${END_UPDATE}`);
    this.drawn = frame;
  }

  /** To the first row of the last frame, which takes more rows if the terminal was made narrower since. */
  private toTop(): string {
    const columns = this.screen.columns || 80;
    const rows = this.drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(lineText(line)) / columns)),
      0,
    );
    const up = Math.min(rows, this.screen.rows || 24) - 1;
    return up > 0 ? `\r\x1b[${up}A` : '\r';
  }
}
