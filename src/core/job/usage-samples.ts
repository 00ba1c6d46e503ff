/** What the processes of an attempt used at one moment. */
export interface UsageSample {
  /** Since the attempt started. */
  at_ms: number;
  rss_bytes: number;
  /** Processor time up to this moment, of processes that live. */
  cpu_ms: number;
}

/** So many are kept of one attempt at most. */
export const MOST_SAMPLES = 250;

/** The samples of one attempt; none where none were kept. */
export interface AttemptSamples {
  job_id: number;
  run_id: number;
  attempt_id: number;
  samples: UsageSample[];
}

/** Samples of an attempt of any length: where there would be too many, every second one goes and the interval doubles. */
export class SampleSeries {
  #intervalMs: number;
  #samples: UsageSample[] = [];

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  get samples(): readonly UsageSample[] {
    return this.#samples;
  }

  /** Keeps the sample, unless the one before it is too recent. */
  add(sample: UsageSample): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && sample.at_ms - last.at_ms < this.#intervalMs) return;
    if (this.#samples.length === MOST_SAMPLES) {
      this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
      this.#intervalMs *= 2;
      this.add(sample);
      return;
    }
    this.#samples.push(sample);
  }
}
