import { expect, test } from 'vitest';
import { JOB_STATUSES } from '../../src/core/job/job-status.ts';
import { shownStatus } from '../../src/core/job/shown-status.ts';

test('statuses are shown by their names, except two', () => {
  const others = JOB_STATUSES.filter((status) => shownStatus(status) !== status);
  expect(others.map((status) => [status, shownStatus(status)])).toEqual([
    ['ready', 'queued'],
    ['pending', 'starting'],
  ]);
});

test('no two of them are shown alike, so that each can be asked for as it is shown', () => {
  const shown = JOB_STATUSES.map(shownStatus);
  expect(new Set(shown).size).toBe(shown.length);
  expect(JOB_STATUSES).not.toContain('queued');
  expect(JOB_STATUSES).not.toContain('starting');
});
