import type { ServedEngine } from '../contract/engine.ts';

/** Clusters are asked at most so often, however much is committed. */
const PAUSE_MS = 1_000;
/** After a problem, unless something is committed before. */
const AFTER_PROBLEM_MS = 10_000;

/** What is done at a cluster for a server. */
export interface ClusterWork {
  /** One pass. Returns in how many ms the next one has to follow at the latest. */
  tend(): Promise<number>;
  /** Leaves it to another process. */
  leave(): Promise<void>;
}

/** Has work at a cluster looked after: whenever something was committed, and now and then. */
export class ClusterTender {
  readonly #work: ClusterWork;
  readonly #onProblem: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | null = null;
  #dueAt = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  #lastAt = 0;
  #isStopped = false;

  constructor(
    engine: Pick<ServedEngine, 'onChange'>,
    work: ClusterWork,
    onProblem: (error: unknown) => void,
  ) {
    this.#work = work;
    this.#onProblem = onProblem;
    this.#unsubscribe = engine.onChange(() => this.#within(0));
    this.#within(0);
  }

  /** Waits for the pass that is under way. What is at the cluster stays as it is, for another process to look after. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
    await this.#work.leave().catch(this.#onProblem);
  }

  #within(ms: number): void {
    const now = performance.now();
    const at = Math.max(now + ms, this.#lastAt + PAUSE_MS);
    if (this.#isStopped || at >= this.#dueAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dueAt = at;
    // While a pass is under way, its end has the next one come.
    if (this.#running === null) this.#timer = setTimeout(() => this.#begin(), at - now);
  }

  #begin(): void {
    this.#timer = null;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#running = this.#tend().then((ms) => {
      this.#running = null;
      this.#lastAt = performance.now();
      const early = this.#dueAt - this.#lastAt;
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#within(Math.max(0, Math.min(ms, early)));
    });
  }

  async #tend(): Promise<number> {
    try {
      return await this.#work.tend();
    } catch (error) {
      this.#onProblem(error);
      return AFTER_PROBLEM_MS;
    }
  }
}
