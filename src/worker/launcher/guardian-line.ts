import { writeSync } from 'node:fs';
import { monotonicNow } from './monotonic-now.ts';

/** The lifeline, which every launcher is started with: lines on it reach the guardian in order. */
const LIFELINE = 3;
/** Longer than the guardian kills at most. */
const LONGEST_ANSWER_MS = 30_000;

/** If this process cannot keep the fence, the guardian kills its attempts a little later. */
export function extendGuardian(until: number): void {
  send(String(Math.max(1, Math.ceil((until - monotonicNow()) / 1000))));
}

/**
 * Resolves when the guardian kills nothing any more: it answers a line with a signal, and reads no line while it kills.
 * Without a guardian it resolves at once.
 */
export function guardianIsQuiet(): Promise<void> {
  return new Promise((resolve) => {
    const answered = () => {
      clearTimeout(timer);
      process.off('SIGUSR2', answered);
      resolve();
    };
    const timer = setTimeout(answered, LONGEST_ANSWER_MS);
    process.on('SIGUSR2', answered);
    if (!send(`answer ${process.pid}`)) answered();
  });
}

/** Returns whether there is a guardian to read it. */
function send(line: string): boolean {
  try {
    writeSync(LIFELINE, `${line}\n`);
    return true;
  } catch {
    return false;
  }
}
