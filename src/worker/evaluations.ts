import type { Evaluation } from '../core/evaluation.ts';
import type { Claim, EvaluationOrder, EvaluationReport, FinishReport } from '../core/exchange.ts';
import type { Outcome } from '../core/outcome.ts';
import { CodeEvaluator, type LogTails } from './code-evaluator.ts';
import { readTails } from './read-tails.ts';

type Logs = NonNullable<EvaluationOrder['logs']>;

/** What a worker knows that code may ask for. */
export interface EvaluationSources {
  now(): number;
  /** Where an attempt's logs are, or what is supposed to be in them. */
  logs(claim: Claim): Logs | { written: LogTails };
}

/** What a worker has to evaluate: conditions before it launches, and what the engine asks before it decides. */
export class Evaluations {
  private readonly evaluator = new CodeEvaluator();
  private readonly sources: EvaluationSources;
  /** Conditions that held; told with the first report of their attempt. */
  private readonly conditions = new Map<number, Evaluation>();
  /** Earlier attempts whose routes are being worked out. */
  private readonly routes = new Set<number>();
  private killed = false;

  constructor(sources: EvaluationSources) {
    this.sources = sources;
  }

  /** Code will be asked for certain. */
  warm(): void {
    this.evaluator.warm();
  }

  /** How the attempt ends at once because of its `if`; null if it is to be launched. */
  async refusal({ token, config, condition }: Claim): Promise<Partial<Outcome> | null> {
    if (condition === null) return null;
    const order = { ...condition, codes: [{ key: 'if' as const, code: config.condition! }] };
    const [evaluation] = await this.evaluator.evaluate(order, { now: this.sources.now(), tails: null });
    this.conditions.set(token, evaluation!);
    const { result } = evaluation!;
    if (!result.ok) return { spawnError: `\`if\` cannot be evaluated: ${result.problem}` };
    return result.value === true ? null : {};
  }

  /** Adds what was evaluated before the attempt was launched. */
  addCondition(report: FinishReport): void {
    const condition = this.conditions.get(report.token);
    if (condition === undefined) return;
    this.conditions.delete(report.token);
    report.evaluations = [condition, ...(report.evaluations ?? [])];
  }

  /** The report once more, with what the order asks for; as stopped if the worker was killed meanwhile. */
  async ofAttempt(order: EvaluationOrder, claim: Claim, report: FinishReport): Promise<FinishReport> {
    const evaluations = await this.evaluateAttempt(order, claim, report);
    if (this.killed) return { ...report, outcome: { ...report.outcome, stopped: true } };
    return { ...report, evaluations: [...(report.evaluations ?? []), ...evaluations] };
  }

  /** The answer to an order; null if it is being answered already, or the worker was killed meanwhile. */
  async ofRoute(order: EvaluationOrder): Promise<EvaluationReport | null> {
    if (this.routes.has(order.token)) return null;
    this.routes.add(order.token);
    const tails = order.logs === undefined ? null : await readTails(order.logs);
    const evaluations = await this.evaluator.evaluate(order, { now: this.sources.now(), tails });
    return this.killed ? null : { token: order.token, evaluations };
  }

  /** The answer has reached the engine. */
  answered(token: number): void {
    this.routes.delete(token);
  }

  /** Whatever is under way is not worth waiting for. */
  kill(): void {
    this.killed = true;
  }

  stop(): Promise<void> {
    return this.evaluator.stop();
  }

  private async evaluateAttempt(
    order: EvaluationOrder,
    claim: Claim,
    report: FinishReport,
  ): Promise<Evaluation[]> {
    const tails = order.inputs.error === null ? null : await this.tails(claim);
    return this.killed ? [] : this.evaluator.evaluate(order, { now: report.finished_at_ms, tails });
  }

  private async tails(claim: Claim): Promise<LogTails> {
    const logs = this.sources.logs(claim);
    return 'written' in logs ? logs.written : await readTails(logs);
  }
}
