import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other work of this process does not wait longer than this for a computation. */
const TURN_MS = 10;

/** Takes the steps of a long computation, and lets others work in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (let begun = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - begun < TURN_MS) continue;
    await nextTurn();
    begun = performance.now();
  }
}

/** Takes all steps at once, inside a transaction. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
