import { HoldfastError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import { type Exchanged, exchangeTogether, type SentExchange, type SettledExchange } from './exchange.ts';
import { mayOnlyRenew } from './renew-together.ts';
import { type PauseFor, RenewalQueue } from './renewal-queue.ts';

/** Exchanges that share a transaction at the most: the first of them waits for the last. */
const MOST_AT_ONCE = 16;
/**
 * Ended attempts that share a transaction where it holds the thread, so that reads wait for half as long: 320 of them took
 * 20 to 30 ms of processor time, 160 take 11 to 18 ms. A completion costs 0.004 to 0.016 ms more by it.
 */
const MOST_ENDED = 160;

interface Waiting extends SentExchange {
  resolve(done: Exchanged): void;
  reject(error: unknown): void;
}

/**
 * Exchanges of one process take turns: those that come while a transaction is under way share the next. Workers of one
 * workflow would otherwise wait for each other in the database, each with a connection, statements and a commit of its
 * own. What one of them is refused for does not touch the others.
 */
export class ExchangeQueue {
  readonly #store: Store;
  readonly #renewals: RenewalQueue;
  #waiting: Waiting[] = [];
  #isMoving = false;

  constructor(store: Store, pause: PauseFor) {
    this.#store = store;
    this.#renewals = new RenewalQueue(store, pause);
  }

  async exchange(workerId: number, request: SentExchange['request']): Promise<Exchanged> {
    const renewed = mayOnlyRenew(request) ? await this.#renewals.renew({ workerId, request }) : null;
    return renewed ?? this.#exchangeWhole(workerId, request);
  }

  #exchangeWhole(workerId: number, request: SentExchange['request']): Promise<Exchanged> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ workerId, request, resolve, reject });
      if (!this.#isMoving) void this.#move();
    });
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    while (this.#waiting.length > 0) {
      if (!isAlone(this.#waiting[0]!)) await arrivals();
      const group = this.#nextGroup();
      // One after the other where something unforeseen goes wrong, so that it hits only whom it concerns.
      if (!(await this.#settle(group))) for (const each of group) await this.#settle([each]);
    }
    this.#isMoving = false;
  }

  /** Those of different workers, in the order in which they came; one that is about a run of its own is alone. */
  #nextGroup(): Waiting[] {
    const first = this.#waiting[0]!;
    const group = new Map([[first.workerId, first]]);
    let room = (this.#store.holdsThread === true ? MOST_ENDED : Number.POSITIVE_INFINITY) - endedBy(first);
    for (const each of this.#waiting) {
      if (group.size === MOST_AT_ONCE || isAlone(first)) break;
      if (isAlone(each) || group.has(each.workerId)) continue;
      room -= endedBy(each);
      if (room < 0) break;
      group.set(each.workerId, each);
    }
    this.#waiting = this.#waiting.filter((each) => group.get(each.workerId) !== each);
    return [...group.values()];
  }

  /** False if nothing was done for several, and nobody was answered. */
  async #settle(group: readonly Waiting[]): Promise<boolean> {
    let settled: SettledExchange[];
    try {
      settled = await this.#store.write(() => exchangeTogether(group));
    } catch (error) {
      if (group.length > 1 && !(error instanceof HoldfastError)) return false;
      for (const { reject } of group) reject(error);
      return true;
    }
    for (const [index, each] of settled.entries()) {
      if ('done' in each) group[index]!.resolve(each.done);
      else group[index]!.reject(each.refused);
    }
    return true;
  }
}

/**
 * What has arrived is read before the next transaction. While SQLite writes, nothing is; without this each exchange would
 * have a transaction and a commit of its own, which took a third of the time of a server with many workers.
 */
function arrivals(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function endedBy({ request }: Waiting): number {
  return request.finished.length;
}

function isAlone({ request }: Waiting): boolean {
  return request.workflow_id !== undefined;
}
