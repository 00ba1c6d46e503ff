import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../contract/engine.ts';
import type { AuditRecord } from '../../contract/records/records.ts';
import type { RequestRecord, SiteRecord } from '../../contract/records/request.ts';
import { historyText } from '../../views/requests/history-text.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandContext } from '../command-context.ts';
import { fitLine, type StyledLine } from '../terminal/styled-line.ts';
import { Wakeups } from '../wakeups.ts';
import { type FrameSource, LiveProgress } from './live-progress.ts';
import type { Progress } from './progress.ts';
import type { ScreenSize } from './progress-frame.ts';
import { requestHead } from './request-head.ts';
import { WorkflowFrames } from './workflow-frames.ts';

/** A live screen on a terminal, a line for each thing that happens elsewhere, notes only with `--output quiet`. */
export async function startRequestProgress(
  engine: Engine,
  ref: string,
  { settings, stderr, errorPaint, narrate }: CommandContext,
): Promise<Progress> {
  if (settings.output === 'quiet') return { note: narrate, stop: async () => {} };
  if (settings.output === 'table' && stderr.isTTY && process.env.TERM !== 'dumb') {
    return new LiveProgress(engine, new RequestFrames(engine, ref), stderr, errorPaint);
  }
  const newest = (await engine.requestHistory(ref, { limit: 1 })).items[0]?.id ?? 0;
  return new RequestLines(engine, ref, newest, narrate);
}

/** How the request stands, and below it the workflow of its open round. */
class RequestFrames implements FrameSource {
  readonly #engine: Engine;
  readonly #ref: string;
  #request: RequestRecord | null = null;
  #sites: SiteRecord[] = [];
  #round: WorkflowFrames | null = null;

  constructor(engine: Engine, ref: string) {
    this.#engine = engine;
    this.#ref = ref;
  }

  async read(): Promise<number | null> {
    const request = await this.#engine.getRequest(this.#ref);
    const open = request.rounds.at(-1);
    if (open === undefined || (open.state !== 'RUNNING' && open.state !== 'SUBMITTED')) this.#round = null;
    else if (this.#round?.workflowId !== open.workflow_id) {
      this.#round = new WorkflowFrames(this.#engine, open.workflow_id);
    }
    const again = (await this.#round?.read()) ?? null;
    this.#sites = (await this.#engine.listSites()).items;
    this.#request = request;
    return again;
  }

  frame(size: ScreenSize, now: number, note: string | null): StyledLine[] {
    const rows = Math.max(1, size.rows - 1);
    const footer: StyledLine[] = note === null ? [] : [[{ text: visibleText(note), style: 'yellow' }]];
    const most = Math.max(1, rows - footer.length);
    const head = requestHead(this.#request!, this.#sites, size.columns, now).slice(0, most);
    const rest = { columns: size.columns, rows: size.rows - head.length };
    if (this.#round !== null && rest.rows > 2) return [...head, ...this.#round.frame(rest, now, note, false)];
    return [...head, ...footer].slice(-rows).map((line) => fitLine(line, size.columns));
  }
}

/** Lines that come faster than this are printed together. */
const GATHER_MS = 100;

/** A line for each entry of the history of a request. */
class RequestLines implements Progress {
  readonly note: (text: string) => void;
  readonly #engine: Engine;
  readonly #ref: string;
  readonly #done = new AbortController();
  readonly #following: Promise<void>;
  #newest: number;

  constructor(engine: Engine, ref: string, newest: number, narrate: (line: string) => void) {
    this.note = narrate;
    this.#engine = engine;
    this.#ref = ref;
    this.#newest = newest;
    this.#following = this.#follow();
  }

  async stop(): Promise<void> {
    if (this.#done.signal.aborted) return;
    this.#done.abort();
    await this.#following;
    await this.#print().catch(() => {});
  }

  async #follow(): Promise<void> {
    const { signal } = this.#done;
    const wakeups = new Wakeups(this.#engine, signal);
    try {
      while (!signal.aborted) {
        // A look that failed is repeated; the command itself reports what is wrong.
        await this.#print().catch(() => {});
        await wakeups.next();
        await pause(GATHER_MS, undefined, { signal }).catch(() => {});
      }
    } finally {
      wakeups.stop();
    }
  }

  async #print(): Promise<void> {
    const entries: AuditRecord[] = [];
    for (let after: number | undefined; ; ) {
      const page = await this.#engine.requestHistory(this.#ref, { ...(after !== undefined && { after }) });
      const unseen = page.items.filter(({ id }) => id > this.#newest);
      entries.push(...unseen);
      if (page.next === null || unseen.length < page.items.length) break;
      after = page.next;
    }
    for (const entry of entries.reverse()) {
      this.#newest = entry.id;
      const text = historyText(entry);
      if (text !== null) this.note(text);
    }
  }
}
