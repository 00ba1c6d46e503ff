import type { ServedEngine } from '../contract/engine.ts';

/** After a commit nothing may be due; it is looked at once for many of them. */
const LOOK_AFTER_MS = 50;

/** Moves requests on whenever something was committed: finishes stops, admits, plans rounds. One pass at a time. */
export class RequestTender {
  readonly #engine: Pick<ServedEngine, 'tendRequests'>;
  readonly #mostActive: number;
  readonly #onProblem: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(
    engine: Pick<ServedEngine, 'tendRequests' | 'onChange'>,
    mostActive: number,
    onProblem: (error: unknown) => void,
  ) {
    this.#engine = engine;
    this.#mostActive = mostActive;
    this.#onProblem = onProblem;
    this.#unsubscribe = engine.onChange(() => this.look());
    this.look();
  }

  /** Something may be due. */
  look(): void {
    if (this.#isStopped || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#running !== null) {
        this.look();
        return;
      }
      this.#running = this.#tend().finally(() => {
        this.#running = null;
      });
    }, LOOK_AFTER_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #tend(): Promise<void> {
    try {
      while (!this.#isStopped && (await this.#engine.tendRequests({ most_active: this.#mostActive })));
    } catch (error) {
      // The sweep or the next commit has it looked at again.
      this.#onProblem(error);
    }
  }
}
