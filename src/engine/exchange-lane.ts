import { type ErrorCode, HoldfastError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { lockHeldWorkflows, lockWorkers } from '../store/lock-rows.ts';
import type { Script } from '../store/script.ts';
import type { Store } from '../store/store.ts';
import { type Exchanged, exchange } from './exchange.ts';

/** Exchanges that share a transaction at the most: the first of them waits for the last. */
const MOST_AT_ONCE = 16;

/** Refusals of one exchange, made before anything was changed. */
const REFUSALS = new Set<ErrorCode>(['WORKER_NOT_FOUND', 'WORKER_RETIRED', 'STALE_EXCHANGE']);

interface Waiting {
  workerId: number;
  request: Exchange;
  resolve(done: Exchanged): void;
  reject(error: unknown): void;
}

type Settled = { done: Exchanged } | { refused: HoldfastError };

/**
 * Exchanges of one process take turns: those that come while a transaction is under way share the next. Workers of one
 * workflow would otherwise wait for each other in the database, each with a connection and a commit of its own. What
 * one of them is refused for does not touch the others.
 */
export class ExchangeLane {
  private readonly store: Store;
  private readonly leaseMs: number;
  private readonly waiting: Waiting[] = [];
  private isMoving = false;

  constructor(store: Store, leaseMs: number) {
    this.store = store;
    this.leaseMs = leaseMs;
  }

  exchange(workerId: number, request: Exchange): Promise<Exchanged> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ workerId, request, resolve, reject });
      if (!this.isMoving) void this.move();
    });
  }

  private async move(): Promise<void> {
    this.isMoving = true;
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, MOST_AT_ONCE);
      // One after the other where something unforeseen goes wrong, so that it hits only whom it concerns.
      if (group.length === 1 || !(await this.settle(group)))
        for (const each of group) await this.settleOne(each);
    }
    this.isMoving = false;
  }

  private async settleOne({ workerId, request, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.store.write((now) => exchange(workerId, request, now, this.leaseMs)));
    } catch (error) {
      reject(error);
    }
  }

  /** False if nothing was done, and nobody was told anything. */
  private async settle(group: Waiting[]): Promise<boolean> {
    let settled: Settled[];
    try {
      settled = await this.store.write((now) => exchangeTogether(group, now, this.leaseMs));
    } catch (error) {
      if (!(error instanceof HoldfastError)) return false;
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

function* exchangeTogether(group: Waiting[], now: number, leaseMs: number): Script<Settled[]> {
  const workers = group.map(({ workerId }) => workerId);
  yield* lockWorkers(workers);
  yield* lockHeldWorkflows(workers);
  const settled: Settled[] = [];
  for (const { workerId, request } of group) settled.push(yield* settleIn(workerId, request, now, leaseMs));
  return settled;
}

function* settleIn(workerId: number, request: Exchange, now: number, leaseMs: number): Script<Settled> {
  try {
    return { done: yield* exchange(workerId, request, now, leaseMs) };
  } catch (error) {
    if (error instanceof HoldfastError && REFUSALS.has(error.code)) return { refused: error };
    throw error;
  }
}
