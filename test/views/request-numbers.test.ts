import { expect, test } from 'vitest';
import { ledgerText, requestProgressText } from '../../src/views/request-progress.ts';
import { explainedRequest } from '../../src/views/requests/explained-request.ts';
import { openRoundText } from '../../src/views/requests/open-round-text.ts';
import { grouped } from '../../web/parts/words.ts';
import { NOON } from '../cli/records.ts';
import { request, round } from '../cli/request-records.ts';

const LARGE = request({
  status: 'ACTIVE',
  delivered: '9007199254740993',
  total: '90071992547409930',
  cursor: '9007199254740994',
  rounds: [round({ units: { total: 2500, done: 1200, failed: 1100, not_run: 0 } })],
});

test('numbers of a request are grouped on a page, however large, and plain in a terminal', () => {
  expect(requestProgressText(LARGE, NOON, grouped).headline).toBe(
    '9,007,199,254,740,993 of 90,071,992,547,409,930 delivered (10 %)',
  );
  expect(requestProgressText(LARGE, NOON, grouped).detail).toContain(
    '1,200 of 2,500 units done, 1,100 failed',
  );
  expect(ledgerText(LARGE, grouped)).toBe(
    'delivered 9,007,199,254,740,993 of 90,071,992,547,409,930 numbers; the next number is 9,007,199,254,740,994',
  );
  expect(explainedRequest(LARGE, [], grouped).why).toContain('1,200 of 2,500 units done');
  const open = {
    units: { total: 2500, done: 0, failed: 0, not_run: 0 },
    hold_at_units: 1250,
    number: 1,
    run: 'first run',
  };
  expect(openRoundText({ ...open, rescues: 0, max_rescues: 3 }, grouped)).toContain(
    'fewer than 1,250 of 2,500 fail',
  );
  expect(requestProgressText(LARGE, NOON).headline).toContain('9007199254740993 of 90071992547409930');
});
