/** Lets one loop sleep until there is something for it. A raise while it is awake is not lost. */
export class Signal {
  #raised = false;
  #wakeUp: (() => void) | undefined;
  #soon: { timer: NodeJS.Timeout; at: number } | undefined;

  raise(): void {
    this.#raised = true;
    this.#wakeUp?.();
  }

  /** Raises soon, so that what comes until then is dealt with together. The earliest such request counts. */
  raiseWithin(ms: number): void {
    const at = performance.now() + ms;
    if (this.#soon !== undefined) {
      if (this.#soon.at <= at) return;
      clearTimeout(this.#soon.timer);
    }
    const timer = setTimeout(() => {
      this.#soon = undefined;
      this.raise();
    }, ms);
    this.#soon = { timer, at };
  }

  /** Resolves when raised, at the latest after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#raised) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wakeUp = () => {
          clearTimeout(timer);
          // A turn later, so that everything that arrives in this one shares a transaction.
          setImmediate(resolve);
        };
      });
      this.#wakeUp = undefined;
    }
    this.#raised = false;
    clearTimeout(this.#soon?.timer);
    this.#soon = undefined;
  }
}
