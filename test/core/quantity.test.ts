import { describe, expect, test } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../src/core/text/quantity.ts';

describe('sizes', () => {
  test.each([
    ['512m', 512 * 1024 ** 2],
    ['2g', 2 * 1024 ** 3],
    ['1.5G', 1.5 * 1024 ** 3],
    ['4 GiB', 4 * 1024 ** 3],
    ['10kb', 10 * 1024],
    ['1t', 1024 ** 4],
    ['100', 100],
    [100, 100],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test.each(['', 'g', '-1g', '1x', '1g2m', 1.5, -1, Number.NaN])('%s is no size', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });

  test('are written in the largest unit that fits', () => {
    expect([100, 2048, 1536 * 1024, 3 * 1024 ** 3].map(formatSize)).toEqual(['100b', '2k', '1.5m', '3g']);
  });
});

describe('durations', () => {
  test.each<[string | number, number, number]>([
    ['30s', 1000, 30_000],
    ['1h30m', 1000, 5_400_000],
    ['250ms', 1000, 250],
    ['1.5h', 1000, 5_400_000],
    ['2d', 1, 172_800_000],
    ['5 minutes', 1000, 300_000],
    ['1 hour 30 mins', 1000, 5_400_000],
    ['1 day', 1000, 86_400_000],
    ['20 milliseconds', 1000, 20],
    ['3 secs 1ms', 1000, 3001],
    ['PT1H30M', 1000, 5_400_000],
    ['P1DT2H', 1000, 93_600_000],
    ['P2W', 1000, 1_209_600_000],
    ['45', 1000, 45_000],
    [45, 1, 45],
    [0.5, 1000, 500],
  ])('%s with bare unit %d ms is %d ms', (text, unit, ms) => {
    expect(parseDuration(text, unit)).toBe(ms);
  });

  test.each(['', 'P', 'PT', 'abc', '10 parsecs', '5 minutos', '5  minutes', 'minutes', '-5s', -5, -0.0001])(
    '%s is no duration',
    (text) => {
      expect(parseDuration(text, 1000)).toBeUndefined();
    },
  );

  test.each([
    1e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '9'.repeat(400),
    '999999999999d',
    'P9999999999999W',
  ])('%s is too long to be stored', (text) => {
    expect(parseDuration(text, 1)).toBeUndefined();
  });

  test('are written short', () => {
    expect([850, 2500, 59_000, 90_000, 7_500_000, 273_600_000].map(formatDuration)).toEqual([
      '850ms',
      '2.5s',
      '59s',
      '1m30s',
      '2h05m',
      '3d04h',
    ]);
  });
});
