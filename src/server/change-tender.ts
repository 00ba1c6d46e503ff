import type { ServedEngine } from '../contract/engine.ts';

/** After a commit nothing may be due; it is looked at once for many of them. */
const LOOK_AFTER_MS = 50;

/** Does work of a server whenever something was committed. One pass at a time. */
export class ChangeTender {
  readonly #pass: () => Promise<boolean>;
  readonly #onProblem: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(
    engine: Pick<ServedEngine, 'onChange'>,
    /** Returns whether another pass has to follow at once. */
    pass: () => Promise<boolean>,
    onProblem: (error: unknown) => void,
  ) {
    this.#pass = pass;
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
      while (!this.#isStopped && (await this.#pass()));
    } catch (error) {
      // The sweep or the next commit has it looked at again.
      this.#onProblem(error);
    }
  }
}
