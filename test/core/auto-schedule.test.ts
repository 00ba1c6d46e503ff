import { describe, expect, test } from 'vitest';
import {
  type AutoScheduleFacts,
  type AutoScheduleMemory,
  DEFAULT_AUTO_SCHEDULE,
  decideAutoSchedule,
  NOTHING_SEEN,
} from '../../src/core/allocation/auto-schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** When orders are made, with the facts of each moment. */
function ordersAt(
  moments: [at: number, facts: AutoScheduleFacts][],
  policy = DEFAULT_AUTO_SCHEDULE,
): [number, string][] {
  let memory: AutoScheduleMemory = NOTHING_SEEN;
  const orders: [number, string][] = [];
  for (const [at, facts] of moments) {
    const decided = decideAutoSchedule(facts, memory, policy, at);
    memory = decided.memory;
    if (decided.order !== null) orders.push([at, decided.order]);
  }
  return orders;
}

const every = (step: number, until: number, facts: AutoScheduleFacts): [number, AutoScheduleFacts][] =>
  Array.from({ length: Math.floor(until / step) + 1 }, (_, index) => [index * step, facts]);

describe('ready jobs without an allocation', () => {
  const uncovered = { ready: 3, retried: 0, alive: 0 };

  test('get one once that has lasted 10 s, and not more than one a minute', () => {
    expect(ordersAt(every(SECOND, 2 * MINUTE, uncovered))).toEqual([
      [10 * SECOND, '3 jobs are ready and no allocation is alive'],
      [70 * SECOND, '3 jobs are ready and no allocation is alive'],
    ]);
  });

  test('get none from here if another one orders it in the meantime', () => {
    const covered = { ...uncovered, alive: 1 };
    expect(
      ordersAt([
        [0, uncovered],
        [9 * SECOND, covered],
        [20 * SECOND, uncovered],
        [29 * SECOND, uncovered],
      ]),
    ).toEqual([]);
  });

  test('are needed: nothing is ordered for jobs that are blocked', () => {
    expect(ordersAt(every(MINUTE, 600 * MINUTE, { ready: 0, retried: 0, alive: 0 }))).toEqual([]);
  });
});

describe('retried jobs beside allocations', () => {
  test('get one more from the threshold on, with the cool-down in between', () => {
    expect(
      ordersAt(every(MINUTE, 65 * MINUTE, { ready: 9, retried: 5, alive: 1 })).map(([at]) => at / MINUTE),
    ).toEqual([0, 30, 60]);
  });

  test('below the threshold wait for the stranded timeout', () => {
    const few = { ready: 9, retried: 4, alive: 1 };
    expect(ordersAt(every(MINUTE, 180 * MINUTE, few))).toEqual([
      [120 * MINUTE, '4 jobs are ready again for a long time'],
    ]);
    expect(
      ordersAt(every(MINUTE, 600 * MINUTE, few), { ...DEFAULT_AUTO_SCHEDULE, stranded_ms: null }),
    ).toEqual([]);
  });

  test('are only those that have run before: the others wait for the allocations that are there', () => {
    expect(ordersAt(every(MINUTE, 600 * MINUTE, { ready: 100, retried: 0, alive: 1 }))).toEqual([]);
  });

  test('do not wait for the cool-down when the last allocation has ended', () => {
    expect(
      ordersAt([
        [0, { ready: 5, retried: 5, alive: 1 }],
        [5 * MINUTE, { ready: 1, retried: 1, alive: 0 }],
        [6 * MINUTE, { ready: 1, retried: 1, alive: 0 }],
      ]),
    ).toEqual([
      [0, '5 jobs are ready again'],
      [6 * MINUTE, '1 job is ready and no allocation is alive'],
    ]);
  });
});
