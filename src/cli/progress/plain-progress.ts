import type { Engine } from '../../contract/engine.ts';
import type { EventRecord, EventType } from '../../contract/records/records.ts';
import { endedCount, jobCount } from '../../views/workflow-state.ts';
import { clockTime } from '../terminal/local-time.ts';
import { type Paint, paintLine } from '../terminal/styled-line.ts';
import { eventLine } from './event-line.ts';
import type { Progress } from './progress.ts';

/** Above this many jobs, jobs that ended well are printed as a share of all. */
const JOBS_TOLD_ONE_BY_ONE = 200;
const THIN_INTERVAL_MS = 2000;
const THIN_SHARE = 0.05;
const SWEEP_MS = 1000;
const MIN_READ_MS = 100;
const PAGE_SIZE = 1000;
/** So many times as long as the last count took nothing is counted. */
const COUNT_REST = 20;
/** What happens to job after job, and is no news where there are many. */
const QUIET: ReadonlySet<EventType> = new Set<EventType>(['completed', 'cancel', 'disable']);

/** One line per attempt that ended, for pipes, files and CI. */
export class PlainProgress implements Progress {
  readonly #engine: Engine;
  readonly #workflowId: number;
  readonly #write: (line: string) => void;
  readonly #paint: Paint;
  readonly #thin: boolean;
  readonly #stream: ((event: EventRecord) => void) | null;
  readonly #unsubscribe: () => void;
  readonly #sweep: NodeJS.Timeout;
  #after: number;
  #reading: Promise<void> | null = null;
  /** Something was committed while a read was on its way. */
  #wanted = false;
  #next: NodeJS.Timeout | null = null;
  #printed = { at: 0, ended: 0 };
  #countDueAt = 0;
  /** There were events since the jobs were counted. */
  #isUncounted = false;
  #stopped = false;

  /** `after`: the last event that is not printed. `stream` takes every event, instead of lines for people. */
  constructor(
    engine: Engine,
    workflow: { id: number; job_count: number; after: number },
    write: (line: string) => void,
    paint: Paint,
    stream: ((event: EventRecord) => void) | null = null,
  ) {
    this.#engine = engine;
    this.#workflowId = workflow.id;
    this.#after = workflow.after;
    this.#thin = stream === null && workflow.job_count > JOBS_TOLD_ONE_BY_ONE;
    this.#stream = stream;
    this.#write = write;
    this.#paint = paint;
    this.#unsubscribe = engine.onChange(this.#schedule);
    this.#sweep = setInterval(this.#schedule, SWEEP_MS);
  }

  note(text: string): void {
    this.#write(text);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#sweep);
    if (this.#next !== null) clearTimeout(this.#next);
    this.#unsubscribe();
    await this.#reading;
    // What ended the run may be that its state cannot be read.
    await this.#read().catch(() => {});
  }

  readonly #schedule = (): void => {
    this.#wanted = true;
    if (this.#stopped || this.#next !== null) return;
    this.#next = setTimeout(() => {
      this.#wanted = false;
      this.#reading = this.#read()
        // A look that failed is repeated with the next sweep; the run itself reports what is wrong.
        .catch(() => {})
        .finally(() => {
          this.#next = null;
          if (this.#wanted) this.#schedule();
        });
    }, MIN_READ_MS);
  };

  async #read(): Promise<void> {
    for (;;) {
      const page = await this.#engine.listEvents(this.#workflowId, { after: this.#after, limit: PAGE_SIZE });
      for (const event of page.items) {
        this.#after = event.id;
        this.#isUncounted = true;
        if (!this.#thin || !QUIET.has(event.type)) this.#print(event);
      }
      if (page.next === null) break;
    }
    if (this.#thin && this.#isUncounted) await this.#printShare();
  }

  #print(event: EventRecord): void {
    this.#stream?.(event);
    const line = this.#stream === null ? eventLine(event) : null;
    if (line !== null) this.#write(paintLine(line, this.#paint));
  }

  async #printShare(): Promise<void> {
    const now = Date.now();
    // Counting the jobs of a large workflow takes long. The last line is always printed.
    if (now < this.#countDueAt && !this.#stopped) return;
    this.#isUncounted = false;
    const { counts, complete } = await this.#engine.status(this.#workflowId);
    this.#countDueAt = now + (Date.now() - now) * COUNT_REST;
    const total = jobCount(counts);
    const ended = endedCount(counts);
    const due =
      now - this.#printed.at >= THIN_INTERVAL_MS || ended - this.#printed.ended >= total * THIN_SHARE;
    if (ended === this.#printed.ended || (!due && !complete)) return;
    this.#printed = { at: now, ended };
    const failed = counts.failed + counts.terminated;
    const failures = failed > 0 ? `, ${failed} failed` : '';
    this.#write(
      `${clockTime(now)} ${Math.floor((ended / total) * 100)}%  ${ended} of ${total} jobs ended${failures}`,
    );
  }
}
