import { expect, onTestFinished } from 'vitest';
import type { ErrandOrder } from '../../src/contract/records/errand.ts';
import type { Claim, FinishReport } from '../../src/contract/records/exchange.ts';
import type { Evaluation } from '../../src/core/job/evaluation.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import type { PostResult } from '../../src/core/job/post-result.ts';
import { LocalEngine } from '../../src/engine/local-engine.ts';
import { WakeChannel } from '../../src/engine/wake/wake-channel.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import type { Script, Statement } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { modelOf } from '../spec/spec-text.ts';
import { NOTHING, PLENTY } from './engine-world.ts';

const NOW = 1_700_000_000_000;

/** Keeps the text of every statement of the scripts that write. */
class CountingStore implements Store {
  readonly statements: string[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  read<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#store.read(script);
  }

  write<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#store.write((now) => this.#counted(script(now)));
  }

  *#counted<T>(script: Script<T>): Script<T> {
    let step = script.next();
    while (!step.done) {
      this.#count(step.value);
      step = script.next(yield step.value);
    }
    return step.value;
  }

  #count({ sql, group, lock, clock }: Statement): void {
    for (const each of group ?? []) this.#count(each);
    if (group === undefined && lock !== true && clock !== true) this.statements.push(sql);
  }

  backup(): Promise<void> {
    return Promise.reject(new Error('no copy is made here'));
  }

  freeBytes(): number | null {
    return null;
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** A workflow with one worker, on an engine whose statements are counted. */
export class CountingWorld {
  readonly engine: LocalEngine;
  readonly workflowId: number;
  readonly #store: CountingStore;
  readonly #workerId: number;
  #errands: ErrandOrder[] = [];

  private constructor(store: CountingStore, engine: LocalEngine, workflowId: number, workerId: number) {
    this.#store = store;
    this.engine = engine;
    this.workflowId = workflowId;
    this.#workerId = workerId;
  }

  static async create(spec: string): Promise<CountingWorld> {
    const store = new CountingStore(new SqliteStore(':memory:', () => NOW));
    const engine = new LocalEngine(store, new WakeChannel(':memory:'));
    onTestFinished(() => engine.close());
    const { id } = await engine.createWorkflow({
      model: modelOf(spec),
      cwd: '/',
      output_dir: 'output',
      actor: 'test',
    });
    const worker = await engine.registerWorker({ ...ownIdentity(), host: 'elsewhere' });
    await engine.adopt(id, worker.id);
    return new CountingWorld(store, engine, id, worker.id);
  }

  /** Claims and starts what is ready. */
  async start(): Promise<Claim[]> {
    const { claims } = await this.#exchange({ capacity: PLENTY });
    await this.#exchange({ started: claims.map(({ token }) => ({ token, started_at_ms: NOW })) });
    return claims;
  }

  /** Reports an end; returns the statements of that exchange. */
  finish({ token }: Claim, exitCode: number, output?: unknown): Promise<string[]> {
    const report: FinishReport = {
      token,
      started_at_ms: NOW,
      finished_at_ms: NOW,
      outcome: outcome({ exit_code: exitCode }),
      usage: null,
      ...(output === undefined ? {} : { output }),
    };
    return this.#counted({ finished: [report] });
  }

  /** Reports the errand that the last report brought; returns the statements of that exchange. */
  answer(said: { kind: 'post'; post: PostResult } | { kind: 'evaluation'; evaluations: Evaluation[] }) {
    const [errand] = this.#errands;
    expect(errand).toMatchObject({ kind: said.kind });
    return this.#counted({ errands: [{ ...said, id: errand!.id }] });
  }

  async #counted(part: object): Promise<string[]> {
    this.#store.statements.length = 0;
    const { errands } = await this.#exchange(part);
    this.#errands = errands;
    return [...this.#store.statements];
  }

  #exchange(part: object) {
    return this.engine.exchange(this.#workerId, { ...NOTHING, workflow_id: this.workflowId, ...part });
  }
}
