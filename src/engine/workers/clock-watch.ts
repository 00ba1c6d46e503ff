interface Look {
  wall: number;
  monotonic: number;
}

/** Finds that the clock was set, by another one that cannot be. */
export class ClockWatch {
  readonly #monotonic: () => number;
  #last: Look | null = null;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Before a transaction, whose time is read later. */
  begin(): number {
    return this.#monotonic();
  }

  /** How far the clock was set since the last look, in milliseconds; below 0: back. */
  jump({ wall, monotonic }: Look): number {
    return this.#last === null ? 0 : wall - this.#last.wall - (monotonic - this.#last.monotonic);
  }

  note(look: Look): void {
    this.#last = look;
  }
}
