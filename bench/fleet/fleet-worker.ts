import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpEngine } from '../../src/client/http-engine.ts';
import type { Claim, RegisteredWorker } from '../../src/contract/records/exchange.ts';
import { WORKER_SECRET } from '../../src/contract/request-headers.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { reportsOf } from '../server-bench.ts';

/** How long a worker that is a service may be silent. */
const LEASE_MS = 600_000;

const ONE = { cpus: 1, memory_bytes: 2 ** 30, gpus: 0, slots: 1, default_cpus: 1 };

const FULL = { ...ONE, cpus: 0, memory_bytes: 0, slots: 0 };

/** What a worker does while its jobs run. */
export interface Rhythm {
  renewMs: number;
  pollMs: number;
  /** Every so many exchanges end a job. */
  exchangesPerJob: number;
}

/** What workers did, and how long their exchanges took. */
export interface FleetCounts {
  renewals: number;
  completions: number;
  wakes: number;
  exchangeMs: number[];
}

export function noCounts(): FleetCounts {
  return { renewals: 0, completions: 0, wakes: 0, exchangeMs: [] };
}

/** Says what a worker with one slot would say, and runs nothing. */
export class FleetWorker {
  readonly #engine: HttpEngine;
  readonly #id: number;
  readonly #secret: string;
  /** Of exchanges and their answers, without headers. */
  bytes = 0;
  #held: Claim[] = [];
  #seq = 0;

  private constructor(engine: HttpEngine, { id, secret }: RegisteredWorker) {
    this.#engine = engine;
    this.#id = id;
    this.#secret = secret;
  }

  static async register(engine: HttpEngine): Promise<FleetWorker> {
    const identity = ownIdentity({ kind: 'service', cpus: 1, memory_bytes: 2 ** 30, lease_ms: LEASE_MS });
    return new FleetWorker(engine, await engine.registerWorker({ ...identity, host: 'elsewhere' }));
  }

  /** As a full worker does. */
  async renew(): Promise<void> {
    await this.#exchange(FULL);
  }

  leave(): Promise<void> {
    return this.#engine.retireWorker(this.#id);
  }

  /** Ends what it has, and takes the next. */
  async complete(): Promise<void> {
    await this.#exchange(ONE);
    if (this.#held.length === 0) throw new Error('the benchmark ran out of jobs');
  }

  /** A long poll that ends at once, without news. */
  async poll(url: string): Promise<void> {
    const path = `/api/v1/workers/${this.#id}/news?timeout_ms=1&slots=0&cpus=0`;
    const answer = await fetch(`${url}${path}`, { headers: { [WORKER_SECRET]: this.#secret } });
    if (!answer.ok) throw new Error(`${path} answered with ${answer.status}`);
    await answer.text();
  }

  /** Waits for news, as long as it is not stopped. */
  listen(onWake: () => void = () => {}): () => void {
    return this.#engine.onChange(onWake, this.#id);
  }

  /**
   * Works without end. Workers begin at different times, as far as `phase` (0 to 1) says, and at different exchanges of
   * their jobs.
   */
  async work(rhythm: Rhythm, phase: number, firstTurn: number, counts: FleetCounts): Promise<never> {
    const onWake = () => {
      counts.wakes += 1;
    };
    setTimeout(() => this.listen(onWake), phase * rhythm.pollMs);
    await sleep(phase * rhythm.renewMs);
    for (let turn = firstTurn; ; turn += 1) {
      const isEnd = turn % rhythm.exchangesPerJob === 0;
      const begun = performance.now();
      await (isEnd ? this.complete() : this.renew());
      const ms = performance.now() - begun;
      counts.exchangeMs.push(ms);
      if (isEnd) counts.completions += 1;
      else counts.renewals += 1;
      await sleep(Math.max(0, rhythm.renewMs - ms));
    }
  }

  async #exchange(capacity: typeof ONE): Promise<void> {
    this.#seq += 1;
    const finished = capacity === ONE ? reportsOf(this.#held, 0) : [];
    const exchange = { started: [], finished, errands: [], capacity, seq: this.#seq, sent_at_ms: Date.now() };
    const result = await this.#engine.exchange(this.#id, exchange);
    this.bytes += JSON.stringify(exchange).length + JSON.stringify(result).length;
    if (capacity === ONE) this.#held = result.claims;
  }
}

/** Does the work so many times, some at once. */
export async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>) {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        next += 1;
        await work(next - 1);
      }
    }),
  );
}
