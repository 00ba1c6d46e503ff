import type { Ending } from './execute/attempt-runner.ts';
import type { ServiceWorkerOptions } from './service-options.ts';

/** How a worker is about to leave: each is more urgent than those before. */
const ENDINGS = ['no', 'drain', 'out of time', 'stop', 'lost', 'kill'] as const;
export type ServiceEnding = (typeof ENDINGS)[number];

const LAST_WORDS_MS = 10_000;
/** The same for a worker in a hurry, and for the farewell. */
export const HASTE_MS = 3_000;

export function isMoreUrgent(ending: ServiceEnding, than: ServiceEnding): boolean {
  return ENDINGS.indexOf(ending) > ENDINGS.indexOf(than);
}

/** How long the server may take to hear the last reports after everything has ended. */
export function lastWordsOf({
  lastWordsMs = LAST_WORDS_MS,
}: Pick<ServiceWorkerOptions, 'lastWordsMs'>): number {
  return lastWordsMs;
}

export interface EndingPlan {
  ending: Ending;
  /** How long the server may take to hear of everything. */
  wordsMs: number;
}

/** How much time jobs and the server have. `isOver`: the time of the allocation is. */
export function planEnding(how: Ending['how'], options: ServiceWorkerOptions, isOver: boolean): EndingPlan {
  const { graceMs, allocation } = options;
  switch (how) {
    case 'kill':
      return { ending: { how }, wordsMs: HASTE_MS };
    case 'stop':
      return { ending: { how }, wordsMs: graceMs + lastWordsOf(options) };
    case 'out of time': {
      const mostGraceMs = (allocation?.endBeforeMs ?? 0) / 2;
      return { ending: { how, mostGraceMs }, wordsMs: mostGraceMs + HASTE_MS };
    }
    case 'lost': {
      // The cluster kills after this time, and the reports come after the jobs' ends.
      const half = (allocation?.own.killWaitMs ?? 2 * graceMs) / 2;
      const mostGraceMs = Math.min(allocation?.graceMs ?? graceMs, half);
      const wordsMs = mostGraceMs + Math.max(HASTE_MS, Math.min(half, lastWordsOf(options)));
      return { ending: { how, mostGraceMs, isOutOfTime: isOver }, wordsMs };
    }
  }
}
