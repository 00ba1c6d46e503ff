import { randomBytes } from 'node:crypto';
import type { Claim } from '../../contract/records/exchange.ts';
import type { Sender } from '../../contract/records/notification.ts';
import type { SpanPage, TraceOrder } from '../../contract/records/trace.ts';
import { hasTraces, type Subscriber } from '../../core/notify/notify-model.ts';
import { lockWorkflow } from '../../store/lock-rows.ts';
import { findDatabaseId, identifyDatabase } from '../../store/rows/allocations/database-identity-rows.ts';
import { listOpenRuns } from '../../store/rows/traces/trace-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { hasNewSpans, traceOpenRun } from '../notify/order-trace.ts';
import { readSpans } from './read-spans.ts';
import { TraceIds } from './trace-ids.ts';

/** How often spans of runs that are still open are ordered. */
const ORDER_EVERY_MS = 10_000;

/** Traces of what this process drives. */
export class Tracing {
  readonly #store: Store;
  readonly #isOn: boolean;
  #ids: TraceIds | undefined;
  #orderedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, subscribers: readonly Subscriber[]) {
    this.#store = store;
    this.#isOn = hasTraces(subscribers);
  }

  /** Distinguishes the database from every other one. */
  async databaseId(): Promise<string> {
    const known = await this.#store.read(() => findDatabaseId());
    return known ?? this.#store.write(() => identifyDatabase(randomBytes(6).toString('hex')));
  }

  /** Claims with what the spans of their programs belong to. */
  async mark<T extends { claims: Claim[] }>(result: T): Promise<T> {
    if (!this.#isOn || result.claims.length === 0) return result;
    const ids = await this.#traceIds();
    return {
      ...result,
      claims: result.claims.map((claim) => ({ ...claim, traceparent: ids.traceparent(claim) })),
    };
  }

  /** Orders spans of open runs of the sender, now and then; `isLast`: also if they were ordered a moment ago. */
  async orderOpen(sender: Sender, isLast = false): Promise<void> {
    if (!this.#isOn) return;
    const open = await this.#store.read((now) => this.#listRunsWithNews(sender, isLast, now));
    for (const run of open) {
      await this.#store.write(function* (now) {
        yield* lockWorkflow(run.id);
        yield* traceOpenRun(run, now);
      });
    }
  }

  async readSpans(run: { id: number; run_id: number }, order: TraceOrder): Promise<SpanPage> {
    const ids = await this.#traceIds();
    return this.#store.read(() => readSpans(run, order, ids));
  }

  async #traceIds(): Promise<TraceIds> {
    this.#ids ??= new TraceIds(await this.databaseId());
    return this.#ids;
  }

  *#listRunsWithNews(sender: Sender, isLast: boolean, now: number): Script<RunOf[]> {
    if (!isLast && now - this.#orderedAt < ORDER_EVERY_MS) return [];
    this.#orderedAt = now;
    const found: RunOf[] = [];
    for (const run of yield* listOpenRuns(sender)) if (yield* hasNewSpans(run)) found.push(run);
    return found;
  }
}
