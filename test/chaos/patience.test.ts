import { describe, expect, test } from 'vitest';
import { Patience } from '../../chaos/patience.ts';

const LIMITS = { stillMs: 100, mostMs: 1_000 };

describe('a campaign takes what is open for stuck', () => {
  test('once nothing has changed for long enough, and not while something does', () => {
    const patience = new Patience(LIMITS, 0);
    expect(patience.isOver('3 ready', 10)).toBe(false);
    expect(patience.isOver('3 ready', 109)).toBe(false);
    expect(patience.isOver('2 ready', 150)).toBe(false);
    expect(patience.isOver('2 ready', 249)).toBe(false);
    expect(patience.isOver('2 ready', 250)).toBe(true);
  });

  test('after a longer time, though something changes', () => {
    const patience = new Patience(LIMITS, 0);
    for (let now = 0; now < 1_000; now += 50) expect(patience.isOver(`attempt ${now}`, now)).toBe(false);
    expect(patience.isOver('attempt 1000', 1_000)).toBe(true);
  });
});
