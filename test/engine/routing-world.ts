import { expect } from 'vitest';
import type { CodeKey, Evaluation } from '../../src/core/evaluation.ts';
import type {
  Claim,
  EvaluationOrder,
  Exchange,
  ExchangeResult,
  FinishReport,
} from '../../src/core/exchange.ts';
import { type Outcome, outcome } from '../../src/core/outcome.ts';
import type { WorkflowModel } from '../../src/core/workflow-model.ts';
import { all } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { EngineWorld, NOTHING, onSqlite, PLENTY, type WorkerHand } from './engine-world.ts';

/** What code says when it is asked: a value, or nothing that can be used. */
export type CodeAnswer = { value: unknown } | 'fails';

/** A workflow with routes, and one worker after another that does by hand what workers do; code is answered too. */
export class RoutingHand {
  readonly world: EngineWorld;
  readonly held = new Map<number, Claim>();
  private readonly store: Store;
  private readonly started = new Set<number>();
  private readonly asked = new Map<number, { order: EvaluationOrder; report: FinishReport | null }>();
  private worker: WorkerHand;

  private constructor(world: EngineWorld, store: Store, worker: WorkerHand) {
    this.world = world;
    this.store = store;
    this.worker = worker;
  }

  static async create(model: WorkflowModel, databases = onSqlite): Promise<RoutingHand> {
    const world = await EngineWorld.create(model, databases);
    return new RoutingHand(world, await world.database.openStore(), await world.remoteWorker());
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.world.close();
  }

  /** What it holds and what it was asked, by token. */
  get open(): number[] {
    return [...this.held.keys(), ...this.asked.keys()];
  }

  async claim(slots: number): Promise<Claim[]> {
    const { claims } = await this.exchange({ capacity: { ...PLENTY, slots } });
    for (const claim of claims) this.held.set(claim.token, claim);
    return claims;
  }

  /** When something is due next; null if nothing waits. */
  async nextDue(): Promise<number | null> {
    return (await this.exchange({ capacity: { ...PLENTY, slots: 0 } })).next_due_at_ms;
  }

  async start(token: number): Promise<void> {
    if (this.started.has(token)) return;
    this.started.add(token);
    const { rejected } = await this.exchange({ started: [{ token, started_at_ms: this.world.clock.now }] });
    expect(rejected).toEqual([]);
  }

  finish(token: number, facts: Partial<Outcome>, output?: unknown): Promise<void> {
    const { now } = this.world.clock;
    return this.report({
      token,
      started_at_ms: this.started.has(token) ? now : null,
      finished_at_ms: now,
      outcome: outcome(facts),
      usage: null,
      ...(output === undefined ? {} : { output }),
    });
  }

  /** Says what the code of every open question says. */
  async answer(answers: Record<'run_js' | 'goto_js', CodeAnswer>): Promise<void> {
    const questions = [...this.asked.values()];
    this.asked.clear();
    for (const { order, report } of questions) {
      const evaluations = order.codes.map(({ key }) => evaluation(key, answers[key as 'run_js' | 'goto_js']));
      if (report === null) await this.exchange({ evaluated: [{ token: order.token, evaluations }] });
      else await this.report({ ...report, evaluations: [...(report.evaluations ?? []), ...evaluations] });
    }
  }

  /** The worker dies with all it holds, and another one takes the run over. */
  async lose(): Promise<void> {
    const before = this.worker;
    this.world.passLease();
    this.worker = await this.world.remoteWorker();
    await expect(before.claim()).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
    this.held.clear();
    this.asked.clear();
  }

  private async report(report: FinishReport): Promise<void> {
    const { rejected, evaluate } = await this.exchange({ finished: [report] });
    expect(rejected).toEqual([]);
    this.held.delete(report.token);
    const own = evaluate.find(({ of, token }) => of === 'attempt' && token === report.token);
    if (own === undefined) return;
    // One question holds one answer at a time: an attempt is asked about again with all it has.
    this.asked.set(own.token, { order: own, report });
  }

  private async exchange(part: Partial<Exchange>): Promise<ExchangeResult> {
    const result = await this.world.engine.exchange(this.worker.id, {
      ...NOTHING,
      workflow_id: this.world.workflowId,
      ...part,
    });
    for (const order of result.evaluate) {
      if (order.of === 'route') this.asked.set(order.token, { order, report: null });
    }
    return result;
  }

  /** Every set that jobs wait for and whose counters are not what its members say. Joined members (kind -1) only have to end. */
  async miscounted(): Promise<unknown[]> {
    const sets = await this.store.read(() =>
      all<Record<'remaining' | 'unsuccessful' | 'disabled' | 'open' | 'failed' | 'off', number | null>>(
        `select dependency_set.id, remaining, unsuccessful, disabled, ${count('settled is null')} as open,
           ${count("kind = 0 and settled = 'failed'")} as failed, ${count("kind = 0 and settled = 'disabled'")} as off
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
    return this.store.read(() =>
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
