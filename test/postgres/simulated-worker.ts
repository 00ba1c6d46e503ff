import type { Engine } from '../../src/contract/engine.ts';
import type { Claim, Exchange, ExchangeResult } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { NOTHING } from '../engine/engine-world.ts';

/** Does what a worker of a server does, without processes: everything that it claims succeeds at once. */
export class SimulatedWorker {
  readonly id: number;
  readonly #engine: Engine;
  #seq = 0;
  /** Claimed, and not yet reported. */
  held: Claim[] = [];

  private constructor(engine: Engine, id: number) {
    this.#engine = engine;
    this.id = id;
  }

  static async register(engine: Engine): Promise<SimulatedWorker> {
    const { id } = await engine.registerWorker({ ...ownIdentity(), host: 'elsewhere', kind: 'service' });
    return new SimulatedWorker(engine, id);
  }

  /** The exchange that reports everything that is held and asks for as much as `slots`. */
  nextExchange(slots: number): Exchange {
    this.#seq += 1;
    const finished = this.held.splice(0).map(({ token }) => ({
      token,
      started_at_ms: Date.now(),
      finished_at_ms: Date.now(),
      outcome: outcome({ exit_code: 0 }),
      usage: null,
    }));
    return {
      ...NOTHING,
      finished,
      capacity: { cpus: slots, memory_bytes: 1e12, gpus: 0, slots, default_cpus: 1 },
      seq: this.#seq,
    };
  }

  async exchange(slots: number, engine = this.#engine): Promise<ExchangeResult> {
    const result = await engine.exchange(this.id, this.nextExchange(slots));
    this.held.push(...result.claims);
    return result;
  }
}
