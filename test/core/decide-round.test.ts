import { describe, expect, it } from 'vitest';
import { decideRound, percent } from '../../src/core/request/decide-round.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';

const units = (total: number, failed: number, not_run = 0) => ({
  total,
  failed,
  not_run,
  done: total - failed - not_run,
});

describe('the decision about a round', () => {
  it.each([
    // [case, units, rescues, settings, decision, hold]
    ['all units done', units(10, 0), 0, {}, 'close', null],
    ['below the threshold', units(10, 1), 0, {}, 'rescue', null],
    ['exactly at the threshold', units(10, 2), 0, {}, 'hold', 'failure_ratio'],
    ['above the threshold', units(10, 3), 0, {}, 'hold', 'failure_ratio'],
    ['all units failed', units(10, 10), 0, {}, 'hold', 'failure_ratio'],
    ['below the threshold with one rescue left', units(100, 1), 2, {}, 'rescue', null],
    ['rescues used up, whatever the share', units(100, 1), 3, {}, 'hold', 'rescues_exhausted'],
    ['no rescues allowed', units(100, 1), 0, { error_max_rescue_attempts: 0 }, 'hold', 'rescues_exhausted'],
    [
      'one rescue allowed and used',
      units(9, 1),
      1,
      { error_max_rescue_attempts: 1 },
      'hold',
      'rescues_exhausted',
    ],
    ['40 % with a threshold of 50 %', units(100, 40), 0, { error_hold_threshold: 0.5 }, 'rescue', null],
    ['a threshold of 1 and all failed', units(4, 4), 0, { error_hold_threshold: 1 }, 'hold', 'failure_ratio'],
    ['an abort with one failed unit', units(100, 1, 80), 0, {}, 'rescue', null],
    ['units that never ran, and no failure', units(10, 0, 4), 0, {}, 'rescue', null],
    ['a threshold of 0 and no failure', units(10, 0, 4), 0, { error_hold_threshold: 0 }, 'rescue', null],
    ['used up, with advance', units(100, 1), 3, { when_exhausted: 'advance' }, 'close', null],
    [
      'over the threshold, with advance',
      units(10, 2),
      3,
      { when_exhausted: 'advance' },
      'hold',
      'failure_ratio',
    ],
  ] as const)('%s', (_, counts, rescues, changes, kind, hold) => {
    const decision = decideRound(
      { units: counts, rescues, workLeft: true },
      { ...DEFAULT_ERROR_SETTINGS, ...changes },
    );
    expect(decision).toMatchObject({ kind, hold });
    expect(decision.walk.at(-1)).toMatchObject({ applies: true, because: decision.reason });
    expect(decision.walk.slice(0, -1).every(({ applies }) => !applies)).toBe(true);
  });

  it.each([
    [0, 0, 'and no rescue is allowed'],
    [2, 0, 'and no rescue is allowed'],
    [1, 1, 'and no rescue is left (1 of 1 used)'],
    [3, 2, 'and no rescue is left (2 of 2 used)'],
  ])(
    'after %i rescues of %i allowed ones counts no more than were allowed',
    (rescues, error_max_rescue_attempts, ending) => {
      const settings = { ...DEFAULT_ERROR_SETTINGS, error_max_rescue_attempts };
      const { reason } = decideRound({ units: units(100, 1), rescues, workLeft: true }, settings);
      expect(reason).toBe(`1 of 100 units failed (1 %), ${ending}`);
    },
  );

  it('gives the share of failed units and says why', () => {
    const decision = decideRound({ units: units(8, 1), rescues: 1, workLeft: true }, DEFAULT_ERROR_SETTINGS);
    expect(decision.failure_ratio).toBe(0.125);
    expect(decision.reason).toBe('1 of 8 units failed (12.5 %): rescue 2 of 3');
  });

  it('says whether anything follows a round without failures', () => {
    const last = decideRound({ units: units(3, 0), rescues: 0, workLeft: false }, DEFAULT_ERROR_SETTINGS);
    expect(last.reason).toBe('all 3 units are done; nothing is left to do');
  });

  it('writes shares as people do', () => {
    expect([0, 0.2, 0.125, 1, 0.015, 1 / 3].map(percent)).toEqual([
      '0 %',
      '20 %',
      '12.5 %',
      '100 %',
      '1.5 %',
      '33.3 %',
    ]);
  });
});
