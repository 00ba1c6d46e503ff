import { onTestFinished } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Claim, Exchange } from '../../src/contract/records/exchange.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import { openMemoryEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { NOTHING, PLENTY } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** A server's engine with a clock that the test moves, and workers that are only hands. */
export class Served {
  now = 1_700_000_000_000;
  readonly engine: ServedEngine = openMemoryEngine(() => this.now);
  /** Of the workers here. */
  readonly secrets = new Map<number, string>();
  readonly #seqs = new Map<number, number>();

  constructor() {
    onTestFinished(() => this.engine.close());
  }

  async submit(
    jobs: SimpleJob[],
    facts: { key?: string; shared?: boolean } & Parameters<typeof simpleModel>[1] = {},
  ): Promise<number> {
    const { key, shared = true, ...options } = facts;
    const { id } = await this.engine.createWorkflow({
      model: simpleModel(jobs, options),
      cwd: '.',
      output_dir: 'output',
      actor: 'test',
      shared,
      ...(key === undefined ? {} : { idempotency_key: key }),
    });
    return id;
  }

  async worker(facts: Parameters<typeof ownIdentity>[0] = {}): Promise<number> {
    const identity = ownIdentity({ kind: 'service', cpus: 4, memory_bytes: 1e9, ...facts });
    const { id, secret } = await this.engine.registerWorker(identity);
    this.secrets.set(id, secret);
    return id;
  }

  /** Another process continues as the worker. */
  resume(workerId: number, secret = this.secrets.get(workerId)!) {
    return this.engine.resumeWorker({ id: workerId, secret }, ownIdentity({ kind: 'service' }));
  }

  next(workerId: number, part: Partial<Exchange> = {}): Exchange {
    const seq = (this.#seqs.get(workerId) ?? 0) + 1;
    this.#seqs.set(workerId, seq);
    return { ...NOTHING, seq, ...part };
  }

  exchange(workerId: number, part: Partial<Exchange> = {}) {
    return this.engine.exchange(workerId, this.next(workerId, part));
  }

  async claim(workerId: number): Promise<Claim[]> {
    return (await this.exchange(workerId, { capacity: PLENTY })).claims;
  }

  start(workerId: number, { token }: Claim) {
    return this.exchange(workerId, { started: [{ token, started_at_ms: this.now }] });
  }

  end(workerId: number, { token }: Claim, facts: Partial<Outcome> = { exit_code: 0 }) {
    const finished = {
      token,
      started_at_ms: this.now,
      finished_at_ms: this.now,
      outcome: outcome(facts),
      usage: null,
    };
    return this.exchange(workerId, { finished: [finished] });
  }

  async events(workflowId: number): Promise<string[]> {
    return (await this.engine.listEvents(workflowId)).items.map(({ type }) => type);
  }
}

/** Three times, at once. */
export const RETRY = { max_retries_failure: 3, initial_retry_delay_ms: 0 };
