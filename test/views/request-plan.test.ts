import { describe, expect, test } from 'vitest';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { describeRequest } from '../../src/views/request-plan.ts';
import { INVENTORY, RANGE, RULES, requestOf } from '../spec/request-text.ts';

const rangeOf = (total: string, more: string) =>
  requestOf(
    `kind: request\nname: a\nwork: { range: { total: ${total}, per_job: 10 } }\nprocess: { command: x }\n${more}`,
  ).model;

describe('the plan of a request', () => {
  test('says of a range what it is, how it fails and what it delivers', () => {
    const { model } = requestOf(RANGE, { 'rules/simulation.yaml': RULES });
    expect(describeRequest(model, null)).toEqual({
      name: 'minbias-2026',
      kind: 'range',
      total: '100000',
      first: '1',
      last: '100000',
      per_unit: '1000',
      units: 100,
      rounds: 4,
      round_units: [10, 40, 40, 10],
      jobs: 600,
      largest_round_jobs: 240,
      sentences: [
        'the work is 100,000 numbers, from 1 to 100,000',
        'a unit is 4 processing jobs of 250 numbers each, then a merge, then a cleanup',
        '100 units of 1,000 numbers in 4 rounds: 10 units, then 40, 40 and 10',
        '600 jobs without retries, at most 240 in one round',
        'a unit fails when its merge or one of its processing jobs fails and has no retry left; a failed cleanup does not count',
        'processing jobs are retried up to 3 times, after 1m00s, 2m00s, 4m00s',
        'a merge is retried up to 2 times, after 1m00s, 2m00s',
        'a cleanup is retried up to 2 times, after 1m00s, 2m00s',
        'failures are classified by 5 rules of rules/simulation.yaml',
        'failed units of a round are run again (rescued) up to 3 times',
        'the request is held when 20 % of the units of a round fail, or when units still fail after 3 rescues',
        'jobs run at north and south',
        'a site is banned for 7 days when more than 50 % of its attempts, and at least 3, fail because of the site; bans by 3 requests apply to all requests',
        'each unit delivers data/{request}/v{version}/{unit}.root',
      ],
    });
  });

  test('counts the units of an inventory', () => {
    const { model } = requestOf(INVENTORY, { 'lists/2025B.txt': 'x' });
    const plan = describeRequest(model, 1_234);
    expect(plan).toMatchObject({
      total: '1234',
      first: null,
      units: 124,
      rounds: 3,
      round_units: [2, 100, 22],
    });
    // 617 processing jobs and 124 merges.
    expect(plan.jobs).toBe(741);
    expect(plan.sentences.slice(0, 4)).toEqual([
      'the work is 1,234 items',
      'a unit is 5 processing jobs of 2 items each, then a merge',
      '124 units of up to 10 items in 3 rounds: 2 units, then 100 and 22',
      '741 jobs without retries, at most 600 in one round',
    ]);
    expect(plan.sentences.at(-1)).toBe('no outputs are declared');
  });

  test.each<[string, string, string, object]>([
    ['one round', '15', '', { units: 2, rounds: 1, round_units: [2], largest_round_jobs: 2 }],
    [
      'many rounds',
      '"1000000000000"',
      '',
      { units: 1e11, rounds: 2_500_000_001, round_units: [10, 40, 40, 40, 40] },
    ],
    [
      'rounds by the hour',
      '1000',
      'round: { hours: 8 }',
      { units: 100, rounds: null, round_units: [10], largest_round_jobs: null },
    ],
  ])('of %s', (_, total, more, expected) => {
    expect(describeRequest(rangeOf(total, more), null)).toMatchObject(expected);
  });

  test.each<[string, string, string]>([
    ['many rounds', 'round: { units: 2 }', '100 units of 10 numbers in 46 rounds: 10 units, then 2 in each'],
    [
      'rounds by the hour',
      'round: { hours: 1.5 }',
      '100 units of 10 numbers in rounds: 10 units, then as many as take 1.5 hours, by measured time (90 are left)',
    ],
    ['one job in a unit', '', 'a unit is one processing job of 10 numbers'],
    ['no retries', 'errors: {}\nmerge: { command: x, retry: 0 }', 'a merge is not retried'],
    ['a post command', 'post: ./judge', 'every attempt is evaluated by ./judge'],
    [
      'no rescue',
      'errors: { error_max_rescue_attempts: 0 }',
      'the request is held when 20 % of the units of a round fail, or when units still fail without a rescue',
    ],
    [
      'advancing',
      'errors: { when_exhausted: advance, error_max_rescue_attempts: 1 }',
      'the request is held when 20 % of the units of a round fail; when units still fail after 1 rescue, the next round follows',
    ],
    ['no tolerance', 'errors: { error_hold_threshold: 0 }', 'the request is held when a unit fails'],
  ])('has a sentence about %s', (_, more, sentence) => {
    expect(describeRequest(rangeOf('1000', more), null).sentences).toContain(sentence);
  });

  test('uses the cool-off of the configuration where the spec has none', () => {
    const settings = { ...DEFAULT_ERROR_SETTINGS, cooloff_base_sec: 5 };
    expect(describeRequest(rangeOf('10', ''), null, settings).sentences).toContain(
      'processing jobs are retried up to 3 times, after 5s, 10s, 20s',
    );
  });
});
