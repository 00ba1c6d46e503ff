import { describe, expect, test } from 'vitest';
import { itemsView, unitsView } from '../../src/cli/texts/requests/ledger-lists.ts';
import { requestChangeView } from '../../src/cli/texts/requests/request-change-text.ts';
import { requestErrorsView } from '../../src/cli/texts/requests/request-errors-text.ts';
import { requestView } from '../../src/cli/texts/requests/request-text.ts';
import { requestsView } from '../../src/cli/texts/requests/requests-list.ts';
import { banView, sitesView, unbanView } from '../../src/cli/texts/requests/sites-text.ts';
import { ban, item, request, requestErrors, requestSummary, round, unit } from './held-request.ts';
import { json, quiet, table } from './printed.ts';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

describe('a request', () => {
  test('shows where it stands, why it is held, what to do next, its ledger and its rounds', () => {
    expect(lines(table(requestView, { request: request() }))).toEqual([
      'minbias@1  HELD  1000 of 4000 delivered (25 %)',
      'minimum bias events',
      'by ada, 11:59:00, priority 100; round 1, 1 of 2 units done, 1 failed, rescue 2',
      'held after round 1: 1 of 2 units failed (50 %), the threshold is 20 %',
      'next: holdfast requests errors minbias   what failed, by category, site and exit code',
      '      holdfast requests release minbias  continue with the next round',
      '      holdfast requests restart minbias  fail it, and submit it again as the next version',
      '      holdfast requests fail minbias     give it up; its outputs are invalidated',
      'delivered 1000 of 4000 numbers; the next number is 9007199254740993',
      'ROUND  STATE    WORKFLOW  RUNS                            DONE  FAILED  DECISION',
      '    1  PARTIAL         3  first, rescue ×2, after stop  1 of 2       1  1 of 2 units failed (50 %), the threshold is 20 %',
    ]);
    expect(quiet(requestView, { request: request() })).toBe('HELD');
    expect(json(requestView, { request: request() })).toEqual(request());
  });

  test('of items counts them by state, and names the versions before and after it', () => {
    const items = { fresh: 1, attempted: 2, processed: 3, excluded: 4 };
    const replaced = request({
      work: 'inventory',
      cursor: null,
      items,
      total: '10',
      previous_version_request: 'minbias@1',
      superseded_by_request: 'minbias@3',
      output_state: 'superseded',
      version: 2,
    });
    expect(lines(table(requestView, { request: replaced }))).toEqual(
      expect.arrayContaining([
        'items: 3 processed, 1 fresh, 2 attempted, 4 excluded, 10 in all',
        'replaces minbias@1; replaced by minbias@3; outputs are superseded',
      ]),
    );
  });

  test('shows how many rounds are left out, and that there is none yet', () => {
    const many = request({ rounds: [round({ number: 150 })], round_count: 150 });
    expect(table(requestView, { request: many })).toMatch(/^… 149 older rounds$/m);
    const none = request({ rounds: [], round_count: 0, hold: null, status: 'QUEUED', next: [] });
    expect(table(requestView, { request: none })).toMatch(/no round has been planned yet$/);
  });

  test('is a line of the list, with the reason of a hold', () => {
    const complete = requestSummary({ request_name: 'other', status: 'COMPLETED', hold: null, version: 12 });
    expect(table(requestsView, [requestSummary(), complete]).split('\n')).toEqual([
      'NAME       STATE      PRIORITY     DELIVERED  CHANGED   WHY',
      'minbias@1  HELD            100  1000 of 4000  12:00:00  1 of 2 units failed (50 %), the threshold is 20 %',
      'other@12   COMPLETED       100  1000 of 4000  12:00:00  -',
    ]);
    expect(quiet(requestsView, [requestSummary(), complete]).split('\n')).toEqual(['minbias@1', 'other@12']);
    expect(table(requestsView, [])).toBe('no requests');
  });

  test('shows its failures with the end of a log, and without control characters of it', () => {
    expect(lines(table(requestErrorsView, requestErrors()))).toEqual([
      'minbias round 1: 50 % of the units failed, 1 rescue',
      'by category: data 3, transient 1',
      'by exit code: 7 1, 8021 3',
      'by site: north 4 of 5 attempts failed',
      'bad input files:',
      '  a.root',
      'data unit_000001_proc_01 attempt 4 and 2 more like it',
      '  report 8021: data',
      '  | opening a.root',
      '  | cannot read a.root␛[2J',
    ]);
    const files = Array.from({ length: 12 }, (_, index) => `${index}.root`);
    expect(table(requestErrorsView, requestErrors({ bad_input_files: files }))).toContain('  and 2 more\n');
    expect(table(requestErrorsView, requestErrors({ round: null }))).toBe('request minbias has no round yet');
    expect(lines(table(requestErrorsView, requestErrors({ groups: [] })))[1]).toBe('no job failed for good');
    expect(quiet(requestErrorsView, requestErrors())).toBe('f1');
  });

  test('that was changed, or would be, is one line', () => {
    const change = {
      request_name: 'minbias',
      status: 'QUEUED' as const,
      previous_status: 'HELD' as const,
      message: 'released; the next round is planned',
    };
    const moved = 'minbias: HELD → QUEUED; released; the next round is planned';
    expect(table(requestChangeView, { change, isDryRun: false })).toBe(moved);
    expect(table(requestChangeView, { change, isDryRun: true })).toBe(
      `would change ${moved} (nothing was changed)`,
    );
    const kept = { ...change, status: 'HELD' as const, message: 'nothing of it is running' };
    expect(table(requestChangeView, { change: kept, isDryRun: false })).toBe(
      'minbias: HELD; nothing of it is running',
    );
    expect(quiet(requestChangeView, { change, isDryRun: false })).toBe('QUEUED');
  });
});

describe('the ledger', () => {
  test('lists units with numbers that JavaScript does not hold exactly', () => {
    const failed = unit({ number: 2, state: 'failed', first: null, last: null, size: 3, outputs: [] });
    expect(table(unitsView, [unit(), failed]).split('\n')).toEqual([
      'UNIT  ROUND  STATE              FIRST              LAST  SIZE  OUTPUTS',
      '   1      1  done    9007199254740993  9007199254741992  1000  data/1.root',
      '   2      1  failed                 -                 -     3  -',
    ]);
    expect(quiet(unitsView, [unit(), failed])).toBe('1\n2');
    expect(table(unitsView, [])).toBe('no units');
  });

  test('lists items with the reason why one is excluded', () => {
    const bad = item({
      path: 'b\x07.root',
      state: 'excluded',
      group: null,
      unit: null,
      reason: 'named as bad',
    });
    expect(table(itemsView, [item(), bad]).split('\n')).toEqual([
      'ITEM     STATE      GROUP  UNIT  REASON',
      'a.root   processed  2025      1  -',
      'b␇.root  excluded   -         -  named as bad',
    ]);
    expect(quiet(itemsView, [item()])).toBe('a.root');
    expect(table(itemsView, [])).toBe('no items');
  });
});

describe('a site', () => {
  test('shows its workers, how many attempts failed there, and its bans', () => {
    const bans = [ban(), ban({ request_name: 'minbias@1', expires_at_ms: null })];
    const sites = [
      { name: 'lab', workers: 3, attempts: { total: 40, failed: 7, infrastructure: 2 }, bans: [] },
      { name: 'north', workers: 0, attempts: { total: 0, failed: 0, infrastructure: 0 }, bans },
    ];
    expect(table(sitesView, sites).split('\n')).toEqual([
      'SITE   WORKERS   FAILED  BANNED',
      'lab          3  7 of 40  -',
      'north        0        -  for all work until 13:00:00: storage is down; for minbias@1: storage is down',
    ]);
    expect(quiet(sitesView, sites)).toBe('lab\nnorth');
    expect(table(sitesView, [])).toBe('no sites');
  });

  test('that was banned or allowed again is one line', () => {
    expect(table(banView, ban())).toBe('site north is banned for all work until 13:00:00: storage is down');
    expect(quiet(banView, ban())).toBe('2');
    expect(table(unbanView, { site: 'north', removed: 0 })).toBe('site north has no ban');
    expect(table(unbanView, { site: 'north', removed: 1 })).toBe('1 ban of site north removed');
    expect(table(unbanView, { site: 'north', removed: 2 })).toBe('2 bans of site north removed');
    expect(json(unbanView, { site: 'north', removed: 2 })).toEqual({ removed: 2 });
    expect(quiet(unbanView, { site: 'north', removed: 2 })).toBe('2');
  });
});
