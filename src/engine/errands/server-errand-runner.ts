import { type ErrandTools, FinalFailure, type ServerErrandHandler } from '../../contract/records/errand.ts';
import type { Sender } from '../../contract/records/notification.ts';
import type { SpanPage, TraceOrder } from '../../contract/records/trace.ts';
import { hasProcessEnded, newProcessName } from '../../host/process-name.ts';
import {
  finishServerErrand,
  keepErrandData,
  listSendingServers,
  mayHaveDueErrands,
  releaseServerErrands,
  renewServerErrands,
  repeatServerErrand,
  type ServerErrandRow,
  takeServerErrands,
} from '../../store/rows/errands/server-errand-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { recordNotification, shortProblem } from '../notify/end-notification.ts';

/** How long an errand stays with a server that is silent. */
const SERVER_LEASE_MS = 30_000;
/** A server that cannot renew its lease stops before another one may begin. */
const STOP_AFTER_MS = 24_000;
const MOST_AT_ONCE = 16;

/** Reads the next spans of an order for a run. */
type SpanReader = (run: { id: number; run_id: number }, order: TraceOrder) => Promise<SpanPage>;

type StopReason = 'canceled' | 'lost' | 'stopping' | 'timeout';

interface LeasedErrand {
  target: string | null;
  stop(reason: StopReason): void;
  /** Stops it if the lease is not renewed in time. */
  deadline: NodeJS.Timeout;
  done: Promise<void>;
}

/**
 * Does errands of the server in this process. Each errand is leased to one server at a time; the errands of a server that
 * is gone go to the next one when their lease is over.
 */
export class ServerErrandRunner {
  readonly #store: Store;
  readonly #handlers: ReadonlyMap<string, ServerErrandHandler>;
  readonly #readSpans: SpanReader;
  /** This process, as no other is called. */
  readonly #server = newProcessName();
  readonly #held = new Map<number, LeasedErrand>();
  /** One at a time, so that a target is sent one message at a time. */
  #sweeping = Promise.resolve();
  #isStopping = false;

  constructor(store: Store, handlers: readonly ServerErrandHandler[], readSpans: SpanReader) {
    this.#store = store;
    this.#readSpans = readSpans;
    this.#handlers = new Map(handlers.map((handler) => [handler.kind, handler]));
  }

  /** Renews what it holds and takes more. Called every few seconds. `sender`: whose notifications it sends. */
  sweep(sender: Sender = 'shared'): Promise<void> {
    const swept = this.#sweeping.then(() => this.#sweep(sender));
    this.#sweeping = swept.catch(() => {});
    return swept;
  }

  async #sweep(sender: Sender): Promise<void> {
    if (this.#handlers.size === 0 || this.#isStopping) return;
    if (this.#held.size > 0) await this.#renew();
    for (;;) {
      const room = MOST_AT_ONCE - this.#held.size;
      if (room === 0 || this.#isStopping) return;
      if (!(await this.#store.read((now) => mayHaveDueErrands(now)))) return;
      const busy = [...this.#held.values()].flatMap(({ target }) => target ?? []);
      const taking = { kinds: [...this.#handlers.keys()], sender, busy, limit: room };
      const taken = await this.#store.write((now) => takeServerErrands(taking, this.#lease(now), now));
      for (const errand of taken) this.#begin(errand, sender);
      if (taken.length === 0) return;
    }
  }

  get isBusy(): boolean {
    return this.#held.size > 0;
  }

  /** Errands that it does at the moment have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ done }) => done));
  }

  /**
   * Takes over what a process on this host left when it died. For what one process drives alone: a server may be in another
   * container with the same host name, so its lease has to end.
   */
  async inherit(sender: Exclude<Sender, 'shared'>): Promise<void> {
    for (const server of await this.#store.read(() => listSendingServers(sender))) {
      if (hasProcessEnded(server)) await this.#store.write(() => releaseServerErrands(server));
    }
  }

  /** Stops what runs, and leaves it to other servers. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (this.#held.size === 0) return;
    const held = [...this.#held.values()];
    for (const { stop } of held) stop('stopping');
    await Promise.all(held.map(({ done }) => done));
    await this.#store.write(() => releaseServerErrands(this.#server));
  }

  #lease(now: number): { server: string; expires_at: number } {
    return { server: this.#server, expires_at: now + SERVER_LEASE_MS };
  }

  async #renew(): Promise<void> {
    const rows = await this.#store.write((now) => renewServerErrands(this.#lease(now)));
    const renewed = new Map(rows.map((row) => [row.id, row]));
    for (const [id, { stop, deadline }] of this.#held) {
      const row = renewed.get(id);
      if (row === undefined) stop('lost');
      else if (row.cancel_requested === 1) stop('canceled');
      else deadline.refresh();
    }
  }

  #begin(errand: ServerErrandRow, sender: Sender): void {
    const controller = new AbortController();
    const stop = (reason: StopReason) => controller.abort(reason);
    const deadline = setTimeout(() => stop('lost'), STOP_AFTER_MS).unref();
    if (errand.cancel_requested === 1) stop('canceled');
    const done = this.#do(errand, controller).finally(() => {
      clearTimeout(deadline);
      this.#held.delete(errand.id);
      // The next one for the same target need not wait for the next sweep.
      if (errand.target !== null) void this.sweep(sender).catch(() => {});
    });
    this.#held.set(errand.id, { target: errand.target, stop, deadline, done });
  }

  async #do(errand: ServerErrandRow, controller: AbortController): Promise<void> {
    const { signal } = controller;
    const result = await this.#run(errand, controller);
    const reason = signal.reason as StopReason | undefined;
    if (reason === 'stopping' || reason === 'lost') return;
    const ended = reason === undefined ? result : { stopped: reason };
    try {
      await this.#store.write((now) => this.#end(errand, ended, now));
    } catch {
      // Without the store the lease ends, and the errand is done again.
    }
  }

  /** What failed is repeated, if its kind can be; the others have ended. */
  *#end(errand: ServerErrandRow, ended: EndedErrand, now: number): Script<void> {
    const { id, kind, tries, data } = errand;
    const problem = problemOf(ended);
    const isFinal = problem === null || 'final' in ended;
    const delay = isFinal ? null : (this.#handlers.get(kind)!.retryMs?.(tries) ?? null);
    if (problem !== null && delay !== null) {
      const noted = { ...(JSON.parse(data) as object), problem: shortProblem(problem) };
      yield* repeatServerErrand(id, this.#server, noted, now + delay);
      return;
    }
    const isOurs = yield* finishServerErrand(id, this.#server, ended, now);
    if (isOurs && kind === 'notification') yield* recordNotification(errand, problem, now);
  }

  async #run(errand: ServerErrandRow, controller: AbortController): Promise<EndedErrand> {
    const { id, workflow_id, run_id, kind, timeout_ms } = errand;
    const { signal } = controller;
    if (signal.aborted) return { stopped: signal.reason as StopReason };
    const limit =
      timeout_ms === null
        ? null
        : setTimeout(() => controller.abort('timeout' satisfies StopReason), timeout_ms);
    try {
      const data = JSON.parse(errand.data) as unknown;
      const order = { id, workflow_id, run_id, kind, data };
      return { done: await this.#handlers.get(kind)!.run(order, signal, this.#toolsOf(errand)) };
    } catch (error) {
      const { message } = error as Error;
      return error instanceof FinalFailure ? { failed: message, final: true } : { failed: message };
    } finally {
      if (limit !== null) clearTimeout(limit);
    }
  }

  #toolsOf(errand: ServerErrandRow): ErrandTools {
    const { id, workflow_id, run_id } = errand;
    return {
      readSpans: (order) => this.#readSpans({ id: workflow_id!, run_id: run_id! }, order),
      keep: async (data) => {
        errand.data = JSON.stringify(data);
        await this.#store.write(() => keepErrandData(id, this.#server, errand.data));
      },
    };
  }
}

/** How an errand ended, as it is stored. */
type EndedErrand = { done: unknown } | { failed: string; final?: true } | { stopped: StopReason };

/** Why it was not done; null: it was, or was not wanted any more. */
function problemOf(ended: EndedErrand): string | null {
  if ('failed' in ended) return ended.failed;
  return 'stopped' in ended && ended.stopped === 'timeout' ? 'it took too long' : null;
}
