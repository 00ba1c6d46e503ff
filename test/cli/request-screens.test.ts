import { describe, expect, test } from 'vitest';
import { requestHead } from '../../src/cli/progress/request-head.ts';
import { displayWidth } from '../../src/cli/terminal/display-width.ts';
import { lineText } from '../../src/cli/terminal/styled-line.ts';
import { requestView } from '../../src/cli/texts/requests/request-text.ts';
import { requestsView } from '../../src/cli/texts/requests/requests-list.ts';
import type { RequestRecord, SiteRecord } from '../../src/contract/records/request.ts';
import { requestRemainingMs } from '../../src/views/request-progress.ts';
import { NOON, textStyle } from './records.ts';
import { request, round } from './request-records.ts';

const MINUTE = 60_000;
const LONG = 'a-request-with-a-rather-long-name-2026-reprocessing-campaign';

const run = (run_id: number, start: number, end: number | null, done: number | null) => ({
  run_id,
  kind: run_id === 1 ? ('first' as const) : ('stop' as const),
  parent: run_id === 1 ? null : run_id - 1,
  started_at_ms: start,
  finished_at_ms: end,
  units: done === null ? null : { total: 10, done, failed: 0, not_run: 0 },
  decision: null,
  bans: [],
});

/** 10 units of 4 numbers were done in 2 minutes, and 5 more in the minute since the second round began. */
const halfway = (changes: Partial<RequestRecord> = {}) =>
  request({
    delivered: '40',
    rounds: [
      round({ state: 'COMPLETED', runs: [run(1, NOON - 60 * MINUTE, NOON - 58 * MINUTE, 10)] }),
      round({
        number: 2,
        units: { total: 15, done: 5, failed: 0, not_run: 0 },
        runs: [run(1, NOON - MINUTE, null, null)],
      }),
    ],
    ...changes,
  });

const site = (name: string, workers: number, bannedFor?: string | null): SiteRecord => ({
  name,
  workers,
  attempts: { total: 0, failed: 0, infrastructure: 0 },
  bans:
    bannedFor === undefined
      ? []
      : [
          {
            id: 1,
            site: name,
            request_name: bannedFor,
            reason: 'x',
            evidence: null,
            actor: 'ada',
            created_at_ms: NOON,
            expires_at_ms: null,
          },
        ],
});

const head = (given: RequestRecord, sites: SiteRecord[] = [], columns = 100) =>
  requestHead(given, sites, columns, NOON).map(lineText);

describe('the live screen of a request', () => {
  test('shows state, time left, what was delivered with the open round, and the round', () => {
    expect(head(halfway())).toEqual([
      'numbers@1  ACTIVE  about 2m00s left',
      `${'█'.repeat(45)}${'░'.repeat(30)} 60%  40 of 100 delivered`,
      'round 2, 5 of 15 units done',
    ]);
  });

  test('counts only the time in which runs were open', () => {
    expect(requestRemainingMs(halfway(), NOON)).toBe(2 * MINUTE);
    expect(requestRemainingMs(halfway({ status: 'STOPPING' }), NOON)).toBeNull();
    expect(requestRemainingMs(request(), NOON)).toBeNull();
  });

  test('lists sites where there are several, and which of them are banned for it', () => {
    const sites = [
      site('north', 3),
      site('south', 1, 'numbers@1'),
      site('west', 2, 'other@1'),
      site('east', 0),
    ];
    expect(head(halfway(), sites).at(-1)).toBe('sites: north 3 workers, south banned, west 2 workers');
    const own = halfway({ sites: ['north', 'east'] });
    expect(head(own, sites).at(-1)).toBe('sites: north 3 workers, east 0 workers');
    expect(head(halfway(), [site('north', 3)])).toHaveLength(3);
  });

  test('fits every width, and a long name leaves room for the state', () => {
    const given = halfway({ request_name: LONG });
    for (const columns of [10, 20, 40, 80, 200]) {
      for (const line of head(given, [site('north', 1), site('south', 1)], columns)) {
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }
    }
    expect(head(given, [], 40)[0]).toMatch(/^a-req.*…\S+@1 {2}ACTIVE {2}about 2m00s left$/);
  });

  test('is at 100 % only when the request is complete', () => {
    const almost = request({ delivered: '999', total: '1000' });
    expect(head(almost)[1]).toContain(' 99%  999 of 1000 delivered');
    const done = request({ status: 'COMPLETED', delivered: '1000', total: '1000' });
    expect(head(done)[1]).toContain(' 100%  1000 of 1000 delivered');
  });
});

describe('requests show', () => {
  const rounds = Array.from({ length: 30 }, (_, index) => round({ number: index + 1, state: 'COMPLETED' }));

  test('shows the newest rounds and how many are older', () => {
    const lines = requestView.table({ request: request({ rounds }), history: [] }, textStyle());
    expect(lines).toContain('… 10 older rounds');
    expect(lines.filter((line) => line.includes('COMPLETED'))).toHaveLength(20);
    expect(lines.at(-1)).toMatch(/^ +30 {2}COMPLETED/);
  });

  test('keeps commands whole on a narrow terminal', () => {
    const narrow = textStyle({ width: 80 });
    const given = request({ request_name: LONG, next: ['stop', 'errors'] });
    const lines = requestView.table({ request: given, history: [] }, narrow);
    expect(lines).toContain(`next: holdfast requests stop ${LONG}`);
  });
});

test('requests list names each request as commands take it', () => {
  const [header, line] = requestsView.table([request()], textStyle());
  expect(header).toMatch(/^NAME +STATE +PRIORITY +DELIVERED +CHANGED +WHY/);
  expect(line).toMatch(/^numbers@1 +ACTIVE +0 +0 of 100 /);
});
