import { expect, test } from 'vitest';
import { specKeyOf, specValuesOf } from '../../src/core/rerun/spec-values.ts';

test.each([
  ['timeout_ms', [60_000, 90_000], 'timeout', ['1m00s', '1m30s']],
  ['timeout_ms', [null, 1_500], 'timeout', [null, '1.5s']],
  ['deadline_ms', [7_200_000, 7_201_000], 'deadline', ['7200000ms', '7201000ms']],
  ['failed_outputs', ['in_place', 'removed'], 'keep_failed_outputs', [true, false]],
  ['failed_outputs', ['removed', 'aside'], 'keep_failed_outputs', [false, 'aside']],
  ['for_each', [false, true], 'forEach', [false, true]],
  ['condition', [null, 'a > 1'], 'if', [null, 'a > 1']],
  ['command', ['a', 'b'], 'command', ['a', 'b']],
] as const)('an edit of %s is shown as a spec spells it: %j', (field, [from, to], key, values) => {
  expect([specKeyOf(field), specValuesOf(field, [from, to])]).toEqual([key, values]);
});
