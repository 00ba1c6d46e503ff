import type { AttemptRecord } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { attemptOutcome } from '../attempt.ts';

/** How an attempt is drawn. `other`: stopped, lost, canceled. */
export type AttemptTone = 'good' | 'bad' | 'other' | 'runs';

/** An attempt as a bar of the timeline. */
export interface TimelineBar {
  job: string;
  attempt_id: number;
  from_ms: number;
  /** `now` for one that runs. */
  to_ms: number;
  tone: AttemptTone;
  outcome: string;
}

/** When attempts of a run ran. Its size does not depend on how many there were. */
export interface Timeline {
  from_ms: number;
  to_ms: number;
  /** How many attempts ran in each part of the time, on average. */
  parts: Record<AttemptTone, number>[];
  /** The attempts that took longest, in the order in which they began. */
  bars: TimelineBar[];
  attempts: number;
}

const PARTS = 120;
const MOST_BARS = 60;
/** Bars that are kept before the shorter ones of them are dropped. */
const KEPT = 4 * MOST_BARS;

/** Adds attempts up, one after the other. */
export class TimelineSums {
  readonly #from: number;
  readonly #to: number;
  readonly #parts: Timeline['parts'];
  #bars: TimelineBar[] = [];
  #attempts = 0;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = Math.max(to, from + 1);
    this.#parts = Array.from({ length: PARTS }, () => ({ good: 0, bad: 0, other: 0, runs: 0 }));
  }

  add(attempt: AttemptRecord): void {
    if (attempt.started_at_ms === null) return;
    this.#attempts += 1;
    const from_ms = Math.max(this.#from, attempt.started_at_ms);
    const to_ms = Math.max(from_ms, Math.min(this.#to, attempt.finished_at_ms ?? this.#to));
    const tone = toneOf(attempt);
    this.#spread(from_ms, to_ms, tone);
    const { attempt_id } = attempt;
    const job = jobLabel({ name: attempt.job_name, scope: attempt.scope });
    this.#bars.push({ job, attempt_id, from_ms, to_ms, tone, outcome: attemptOutcome(attempt) });
    if (this.#bars.length > KEPT) this.#bars = longest(this.#bars);
  }

  get timeline(): Timeline {
    const bars = longest(this.#bars).sort((a, b) => a.from_ms - b.from_ms);
    return { from_ms: this.#from, to_ms: this.#to, parts: this.#parts, bars, attempts: this.#attempts };
  }

  #spread(from: number, to: number, tone: AttemptTone): void {
    const width = (this.#to - this.#from) / PARTS;
    const first = Math.floor((from - this.#from) / width);
    const last = Math.min(PARTS - 1, Math.floor((to - this.#from) / width));
    for (let part = first; part <= last; part += 1) {
      const begin = this.#from + part * width;
      const overlap = Math.min(to, begin + width) - Math.max(from, begin);
      this.#parts[part]![tone] += Math.max(0, overlap) / width;
    }
  }
}

function longest(bars: TimelineBar[]): TimelineBar[] {
  return bars.toSorted((a, b) => b.to_ms - b.from_ms - (a.to_ms - a.from_ms)).slice(0, MOST_BARS);
}

function toneOf({ state }: AttemptRecord): AttemptTone {
  if (state === 'SUCCEEDED') return 'good';
  if (state === 'FAILED') return 'bad';
  return state === 'RUNNING' || state === 'PENDING' ? 'runs' : 'other';
}
