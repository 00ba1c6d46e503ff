import { expect, test } from 'vitest';
import { siteFailures } from '../../src/views/requests/ban-text.ts';

const failures = (total: number, failed: number, infrastructure: number) =>
  siteFailures({ attempts: { total, failed, infrastructure } });

test('failures of a site are a share, with those that count against the site', () => {
  expect(failures(0, 0, 0)).toBeNull();
  expect(failures(3, 0, 0)).toBe('0 of 3 attempts failed');
  expect(failures(40, 7, 2)).toBe('7 of 40 attempts failed (17.5 %), 2 of them for reasons of the site');
  expect(failures(4, 1, 0)).toBe('1 of 4 attempts failed (25 %), none of them for reasons of the site');
});
