import { expect, test } from 'vitest';
import { attemptOutcome, attemptRuntime } from '../../src/views/attempt.ts';
import { attempt, NOON } from '../cli/records.ts';

test('the runtime of an attempt ends with it, and is not known before it starts', () => {
  const running = { started_at_ms: NOON - 3000, finished_at_ms: null };
  expect(attemptRuntime(running, NOON)).toBe(3000);
  expect(attemptRuntime({ ...running, finished_at_ms: NOON - 1000 }, NOON)).toBe(2000);
  expect(attemptRuntime({ ...running, started_at_ms: null }, NOON)).toBeNull();
  // Clocks of two machines can disagree.
  expect(attemptRuntime({ started_at_ms: NOON + 5, finished_at_ms: null }, NOON)).toBe(0);
});

test('the outcome of an attempt is in words, also of one that succeeded or still runs', () => {
  expect(attemptOutcome(attempt())).toBe('exit 1');
  expect(attemptOutcome(attempt({ error: null, state: 'SUCCEEDED' }))).toBe('exit 0');
  expect(attemptOutcome(attempt({ error: null, state: 'RUNNING' }))).toBe('-');
});
