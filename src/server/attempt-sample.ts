import type { ServedEngine } from '../contract/engine.ts';
import type { AttemptTimes } from '../contract/records/attempt-times.ts';

/** So many attempts are remembered between two looks; of more than these, the first ones are observed. */
const MOST = 1_000;

export interface Waits {
  waiting_ms: number[];
  deciding_ms: number[];
}

/** Attempts that this server handed out or whose ends it heard of since the last look. */
export class AttemptSample {
  readonly #claimed = new Set<number>();
  readonly #ended = new Set<number>();

  claimed(token: number): void {
    if (this.#claimed.size < MOST) this.#claimed.add(token);
  }

  ended(token: number): void {
    if (this.#ended.size < MOST) this.#ended.add(token);
  }

  /** How long they waited. Ends that are not decided are looked at again. */
  async take(engine: Pick<ServedEngine, 'attemptTimes'>): Promise<Waits> {
    const [claimed, ended] = [new Set(this.#claimed), new Set(this.#ended)];
    if (claimed.size + ended.size === 0) return { waiting_ms: [], deciding_ms: [] };
    const times = await engine.attemptTimes([...new Set([...claimed, ...ended])]);
    for (const token of claimed) this.#claimed.delete(token);
    const decided = times.filter(({ token, deciding_ms }) => ended.has(token) && deciding_ms !== null);
    const left = new Set(times.filter(isUndecided).map(({ token }) => token));
    for (const token of ended) if (!left.has(token)) this.#ended.delete(token);
    return {
      waiting_ms: times.filter(({ token }) => claimed.has(token)).map(({ waiting_ms }) => waiting_ms),
      deciding_ms: decided.map(({ deciding_ms }) => deciding_ms!),
    };
  }
}

function isUndecided({ deciding_ms }: AttemptTimes): boolean {
  return deciding_ms === null;
}
