import type { EvaluationOrder } from '../../contract/records/errand.ts';
import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import type { Evaluation } from '../../core/job/evaluation.ts';
import type { Outcome } from '../../core/job/outcome.ts';
import { PatternMatcher } from '../observe/pattern-matcher.ts';
import { readTails } from '../observe/read-tails.ts';
import { CodeEvaluator, type LogTails } from './code-evaluator.ts';

type Logs = NonNullable<EvaluationOrder['logs']>;

/** What a worker knows that code may ask for. */
export interface EvaluationSources {
  now(): number;
  /** Where an attempt's logs are, or what is supposed to be in them. */
  logs(claim: Claim): Logs | { written: LogTails };
}

/** What a worker has to evaluate: conditions before it launches, and what the engine asks before it decides. */
export class Evaluations {
  readonly patterns = new PatternMatcher();
  readonly #evaluator = new CodeEvaluator();
  readonly #sources: EvaluationSources;
  /** Conditions that held; sent with the first report of their attempt. */
  readonly #conditions = new Map<number, Evaluation>();
  #killed = false;

  constructor(sources: EvaluationSources) {
    this.#sources = sources;
  }

  /** Results that come now are of no use any more. */
  get isKilled(): boolean {
    return this.#killed;
  }

  /** Code will be asked for certain. */
  warm(): void {
    this.#evaluator.warm();
  }

  /** How the attempt ends at once because of its `if`; null if it is to be launched. */
  async refusal({ token, config, condition }: Claim): Promise<Partial<Outcome> | null> {
    if (condition === null) return null;
    const order = { ...condition, codes: [{ key: 'if' as const, code: config.condition! }] };
    const [evaluation] = await this.#evaluator.evaluate(order, { now: this.#sources.now(), tails: null });
    this.#conditions.set(token, evaluation!);
    const { result } = evaluation!;
    if (!result.ok) return { spawn_error: `\`if\` cannot be evaluated: ${result.problem}` };
    return result.value === true ? null : {};
  }

  /** Adds what was evaluated before the attempt was launched. */
  addCondition(report: FinishReport): void {
    const condition = this.#conditions.get(report.token);
    if (condition === undefined) return;
    this.#conditions.delete(report.token);
    report.evaluations = [condition, ...(report.evaluations ?? [])];
  }

  /** `attempt`: the one that the code is about, if this worker ran it. null if the worker was killed meanwhile. */
  async evaluate(
    order: EvaluationOrder,
    attempt: { claim: Claim; report: FinishReport } | undefined,
  ): Promise<Evaluation[] | null> {
    const tails = order.inputs.error === null ? null : await this.#tails(order, attempt?.claim);
    if (this.#killed) return null;
    const now = attempt?.report.finished_at_ms ?? this.#sources.now();
    const evaluations = await this.#evaluator.evaluate(order, { now, tails });
    return this.#killed ? null : evaluations;
  }

  /** Whatever is under way is not worth waiting for. */
  kill(): void {
    this.#killed = true;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#evaluator.stop(), this.patterns.stop()]);
  }

  async #tails({ logs }: EvaluationOrder, claim: Claim | undefined): Promise<LogTails | null> {
    const known = claim === undefined ? logs : this.#sources.logs(claim);
    if (known === undefined) return null;
    return 'written' in known ? known.written : await readTails(known);
  }
}
