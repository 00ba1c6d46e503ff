export interface AllocationTimes {
  /** Nothing is taken from so long before the end. */
  takeUntilMs: number;
  /** Jobs are ended so long before the end. */
  endBeforeMs: number;
  /** When the allocation ends, as the cluster says now; null: it does not say. */
  endsAt(): Promise<number | null>;
  /** Between questions (default: 3 min). */
  askEveryMs?: number;
  now?(): number;
}

export interface AllocationMoments {
  /** Nothing more may be taken. Called once. */
  stopTaking(): void;
  /** The time for jobs is over. Called once. */
  endJobs(): void;
}

/** The end may be moved, by administrators and by users. */
const ASK_EVERY_MS = 180_000;
/** The first answer has not come yet. */
const ASK_AGAIN_MS = 30_000;
/** How long a question may take at a moment that has come. */
const LAST_QUESTION_MS = 3_000;
/** A cluster ends nothing before its time; this is for clocks that differ and for ends in whole seconds. */
const TOLERANCE_MS = 5_000;

/** Knows when an allocation ends, and says when no more may be taken and when jobs have to end. */
export class AllocationClock {
  readonly #times: AllocationTimes;
  readonly #moments: AllocationMoments;
  readonly #now: () => number;
  #endsAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #reached: 'nothing' | 'take until' | 'end before' = 'nothing';
  #isStopped = false;

  constructor(times: AllocationTimes, moments: AllocationMoments) {
    this.#times = times;
    this.#moments = moments;
    this.#now = times.now ?? Date.now;
  }

  /** Resolves when the cluster has answered for the first time, or could not. */
  async start(): Promise<void> {
    await this.#look(this.#ask());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** For a job that would start now; null: not known. */
  get timeLeftMs(): number | null {
    if (this.#endsAt === null) return null;
    return Math.max(0, this.#endsAt - this.#times.endBeforeMs - this.#now());
  }

  /**
   * Whether the time of the allocation is over. The clock alone decides: while a cluster ends an allocation for whatever
   * reason, it gives the present as its end.
   */
  get isOver(): boolean {
    return this.#endsAt !== null && this.#now() >= this.#endsAt - TOLERANCE_MS;
  }

  /** What the cluster does not say stays as it was. */
  async #ask(): Promise<void> {
    const endsAt = await this.#times.endsAt().catch(() => null);
    if (endsAt !== null && !this.#isStopped) this.#endsAt = endsAt;
  }

  async #look(asked: Promise<void>): Promise<void> {
    await asked;
    if (this.#isStopped) return;
    this.#reach();
    this.#plan();
  }

  #reach(): void {
    if (this.#reached === 'nothing' && this.#untilTaking() <= 0) {
      this.#reached = 'take until';
      this.#moments.stopTaking();
    }
    if (this.#reached === 'take until' && this.#untilEnding() <= 0) {
      this.#reached = 'end before';
      this.#moments.endJobs();
    }
  }

  #plan(): void {
    if (this.#reached === 'end before') return;
    const untilMoment = this.#reached === 'nothing' ? this.#untilTaking() : this.#untilEnding();
    const every = this.#times.askEveryMs ?? ASK_EVERY_MS;
    const untilAsked = this.#endsAt === null ? Math.min(ASK_AGAIN_MS, every) : every;
    const isMoment = untilMoment <= untilAsked;
    this.#timer = setTimeout(
      () => {
        // The end may have been moved; where nobody answers soon, what is known counts.
        const asked = this.#ask();
        const limit = pause(Math.min(LAST_QUESTION_MS, this.#times.endBeforeMs / 4));
        void this.#look(isMoment ? Promise.race([asked, limit]) : asked);
      },
      Math.max(0, Math.min(untilMoment, untilAsked)),
    );
  }

  #untilTaking(): number {
    const { takeUntilMs, endBeforeMs } = this.#times;
    return this.#until(Math.max(takeUntilMs, endBeforeMs));
  }

  #untilEnding(): number {
    return this.#until(this.#times.endBeforeMs);
  }

  #until(beforeMs: number): number {
    return this.#endsAt === null ? Number.POSITIVE_INFINITY : this.#endsAt - beforeMs - this.#now();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
