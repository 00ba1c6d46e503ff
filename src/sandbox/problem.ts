import type { GuestAnswer } from './guest.ts';
import { CODE_BYTES, CPU_MS, HEAP_BYTES, PROBLEM_LENGTH, RESULT_BYTES } from './limits.ts';

// One line per way in which an evaluation fails. They are stored and shown; what comes from the code is data.

export const TOO_MANY_STEPS = 'took more than the steps allowed (about 25 ms)';
export const TOO_MUCH_TIME = `took more than ${CPU_MS} ms`;
export const TOO_MUCH_MEMORY = `needed more than ${HEAP_BYTES / 1024 / 1024} MB`;
export const TOO_MUCH_CODE = `code is longer than ${CODE_BYTES / 1024} KB`;
export const TOO_MUCH_INPUT = 'the inputs it names are too large';
export const TOO_LARGE = `result is larger than ${RESULT_BYTES / 1024} KB`;
export const OUT_OF_STACK = 'ran out of stack';
export const STOPPED = 'the sandbox was stopped';

/** Of an error that came out of code, whose first line is the second of the text that was compiled. */
export function describeProblem(answer: Exclude<GuestAnswer, { kind: 'value' }>, code: string): string {
  if (answer.kind === 'refused') return answer.text;
  if (answer.text === 'InternalError: out of memory') return TOO_MUCH_MEMORY;
  const text = answer.text.endsWith('Error: stack overflow') ? OUT_OF_STACK : answer.text;
  const place = /\bcode\.js:(\d+)/.exec(answer.stack);
  if (!place) return oneLine(text);
  const lines = code.trimEnd().split('\n').length;
  const line = Math.min(Math.max(Number(place[1]) - 1, 1), lines);
  return `${oneLine(text)} (line ${line})`;
}

/** Without line breaks, control characters and what else has no shape, and not too long. */
export function oneLine(text: string): string {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return visible.length > PROBLEM_LENGTH
    ? `${visible.slice(0, PROBLEM_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`
    : visible;
}
