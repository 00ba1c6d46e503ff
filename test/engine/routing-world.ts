import { expect } from 'vitest';
import type { EvaluationOrder } from '../../src/contract/records/errand.ts';
import type { Claim, Exchange, ExchangeResult, FinishReport } from '../../src/contract/records/exchange.ts';
import type { CodeKey, Evaluation } from '../../src/core/job/evaluation.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { all } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { EngineWorld, NOTHING, onSqlite, ordersOf, PLENTY, type WorkerHand } from './engine-world.ts';

/** What code says when it is asked: a value, or nothing that can be used. */
export type CodeAnswer = { value: unknown } | 'fails';

/** A workflow with routes, and one worker after another that does by hand what workers do; code is answered too. */
export class RoutingHand {
  readonly world: EngineWorld;
  readonly held = new Map<number, Claim>();
  readonly #store: Store;
  readonly #started = new Set<number>();
  readonly #asked = new Map<number, EvaluationOrder>();
  #worker: WorkerHand;

  private constructor(world: EngineWorld, store: Store, worker: WorkerHand) {
    this.world = world;
    this.#store = store;
    this.#worker = worker;
  }

  get workerId(): number {
    return this.#worker.id;
  }

  static async create(model: WorkflowModel, databases = onSqlite): Promise<RoutingHand> {
    const world = await EngineWorld.create(model, databases);
    return new RoutingHand(world, await world.database.openStore(), await world.remoteWorker());
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.world.close();
  }

  /** What it holds and what it was asked, by token. */
  get open(): number[] {
    return [...this.held.keys(), ...this.#asked.keys()];
  }

  async claim(slots: number): Promise<Claim[]> {
    const { claims } = await this.#exchange({ capacity: { ...PLENTY, slots } });
    for (const claim of claims) this.held.set(claim.token, claim);
    return claims;
  }

  /** When something is due next; null if nothing waits. */
  async nextDue(): Promise<number | null> {
    return (await this.#exchange({ capacity: { ...PLENTY, slots: 0 } })).next_due_at_ms;
  }

  async start(token: number): Promise<void> {
    if (this.#started.has(token)) return;
    this.#started.add(token);
    const { rejected } = await this.#exchange({ started: [{ token, started_at_ms: this.world.clock.now }] });
    expect(rejected).toEqual([]);
  }

  finish(token: number, facts: Partial<Outcome>, output?: unknown): Promise<void> {
    const { now } = this.world.clock;
    return this.#report({
      token,
      started_at_ms: this.#started.has(token) ? now : null,
      finished_at_ms: now,
      outcome: outcome(facts),
      usage: null,
      ...(output === undefined ? {} : { output }),
    });
  }

  /** The code that the worker was given to evaluate. */
  get questions(): CodeKey[] {
    return [...this.#asked.values()].flatMap(({ codes }) => codes.map(({ key }) => key));
  }

  /** Answers every open question. */
  async answer(answers: Partial<Record<CodeKey, CodeAnswer>>): Promise<void> {
    const questions = [...this.#asked.values()];
    this.#asked.clear();
    for (const { kind, id, codes } of questions) {
      const evaluations = codes.map(({ key }) => evaluation(key, answers[key]!));
      await this.#exchange({ errands: [{ kind, id, evaluations }] });
    }
  }

  /** The worker dies with all it holds, and another one takes the run over. */
  async lose(): Promise<void> {
    this.world.passLease();
    await this.takeOver();
  }

  /** Another worker comes after one that is gone. */
  async takeOver(): Promise<void> {
    const before = this.#worker;
    this.#worker = await this.world.remoteWorker();
    await expect(before.claim()).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
    this.held.clear();
    this.#asked.clear();
  }

  /** Claims what is ready, and ends it: with exit code 0 and this output, or as the facts say. Returns the names. */
  async play(facts: Record<string, { output?: unknown } & Partial<Outcome>> = {}): Promise<string[]> {
    const claims = await this.claim(1000);
    for (const { token, job_name } of claims) {
      const { output, ...rest } = facts[job_name] ?? {};
      await this.start(token);
      await this.finish(token, { exit_code: 0, ...rest }, output);
    }
    return claims.map(({ job_name }) => job_name);
  }

  /** Tokens of attempts that the worker has to end. */
  async cancellations(): Promise<number[]> {
    return (await this.#exchange({})).cancel;
  }

  async #report(report: FinishReport): Promise<void> {
    const { rejected } = await this.#exchange({ finished: [report] });
    expect(rejected).toEqual([]);
    this.held.delete(report.token);
  }

  async #exchange(part: Partial<Exchange>): Promise<ExchangeResult> {
    const result = await this.world.engine.exchange(this.#worker.id, {
      ...NOTHING,
      workflow_id: this.world.workflowId,
      ...part,
    });
    for (const order of ordersOf(result, 'evaluation')) this.#asked.set(order.token, order);
    return result;
  }

  /** Every set that jobs wait for and whose counters are not what its members say. Joined members (kind -1) only have to end. */
  async miscounted(): Promise<unknown[]> {
    const sets = await this.#store.read(() =>
      all<Record<'remaining' | 'unsuccessful' | 'disabled' | 'open' | 'failed' | 'off', number | null>>(
        `select dependency_set.id, remaining, unsuccessful, disabled, ${count('settled is null')} as open,
           ${count("kind <> -1 and settled = 'failed'")} as failed, ${count("kind = 0 and settled = 'disabled'")} as off
         from dependency_set join dependency_member on set_id = dependency_set.id join job on job.id = job_id
         where exists (select 1 from job waiting where dependency_set_id = dependency_set.id and waiting.blueprint = 0)
         group by dependency_set.id having ${count('kind > 0')} = 0`,
      ),
    );
    return sets.filter(
      (set) =>
        set.remaining !== set.open ||
        set.unsuccessful !== (set.failed ?? 0) ||
        set.disabled !== (set.off ?? 0),
    );
  }

  /** Calls that are still wanted; none when the run is over. */
  openCalls(): Promise<unknown[]> {
    return this.#store.read(() =>
      all(
        `select call.id, call.state from call join route on token = route_token
         where call.state in ('queued', 'waiting', 'active') and route.state <> 'ended'`,
      ),
    );
  }
}

function count(condition: string): string {
  return `sum(case when ${condition} then 1 else 0 end)`;
}

function evaluation(key: CodeKey, answer: CodeAnswer): Evaluation {
  const result: Evaluation['result'] =
    answer === 'fails' ? { ok: false, problem: 'cannot be evaluated' } : { ok: true, value: answer.value };
  return { key, result, ms: 1, inputs: {} };
}
