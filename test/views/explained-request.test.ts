import { describe, expect, test } from 'vitest';
import { requestExplanationView } from '../../src/cli/texts/requests/request-explanation-text.ts';
import type { AuditRecord } from '../../src/contract/records/records.ts';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { explainedRequest } from '../../src/views/requests/explained-request.ts';
import { NOON, textStyle } from '../cli/records.ts';
import { request, round } from '../cli/request-records.ts';

const entry = (action: string, data: Record<string, unknown> = {}): AuditRecord => ({
  id: 1,
  at_ms: NOON,
  actor: 'ada',
  action,
  subject: 'request numbers@1',
  data,
});

const why = (changes: Partial<RequestRecord>, history: AuditRecord[] = []) =>
  explainedRequest(request(changes), history).why;

describe('why a request is where it is', () => {
  test.each<[string, Partial<RequestRecord>, AuditRecord[], string]>([
    ['SUBMITTED', { status: 'SUBMITTED' }, [], 'it is being stored'],
    ['QUEUED without a server', { status: 'QUEUED' }, [], 'no process works on it'],
    [
      'QUEUED after a stop',
      { status: 'QUEUED', rounds: [round({ state: 'STOPPED' })] },
      [],
      'round 1 was stopped and is resumed next; no process works on it',
    ],
    ['PLANNING', { status: 'PLANNING', round_count: 2 }, [], 'round 3 is being planned'],
    ['ACTIVE', { status: 'ACTIVE' }, [], 'round 1 is at work, first run: 3 of 10 units done'],
    [
      'PAUSED',
      { status: 'PAUSED' },
      [entry('request_paused', { reason: 'the disk is full' })],
      'paused by ada: the disk is full',
    ],
    ['FAILED', { status: 'FAILED' }, [entry('request_failed', { reason: null })], 'failed by ada'],
    ['COMPLETED', { status: 'COMPLETED' }, [], 'all 100 numbers are delivered'],
  ])('%s', (_, changes, history, sentence) => {
    expect(why(changes, history)).toBe(sentence);
  });

  test('a server admits a queued request', () => {
    expect(why({ status: 'QUEUED', shared: true })).toContain('until the server admits it');
  });
});

describe('an open round', () => {
  const holdAt = (total: number, threshold: number) => {
    const units = { total, done: 0, failed: 0, not_run: 0 };
    const settings = { error_hold_threshold: threshold, error_max_rescue_attempts: 3 };
    return explainedRequest(request({ rounds: [round({ units })], settings }), []).open_round!.hold_at_units;
  };

  test('is held at the first number of failed units whose share reaches the threshold', () => {
    for (let total = 1; total <= 60; total += 1) {
      for (const threshold of [0, 0.07, 0.1, 0.2, 0.3, 1 / 3, 0.5, 0.7, 1]) {
        const most = holdAt(total, threshold);
        expect(most / total).toBeGreaterThanOrEqual(threshold);
        expect(most === 1 || (most - 1) / total < threshold).toBe(true);
      }
    }
  });

  test('says what may follow', () => {
    const lines = requestExplanationView.table(explainedRequest(request(), []), textStyle());
    expect(lines).toContain(
      'if all units succeed, the round is closed; if fewer than 2 of 10 fail, rescue 1 of 3 follows; from 2 on the request is held',
    );
  });
});

test('an older version is named with its number in what to do next', () => {
  const older = request({ status: 'FAILED', superseded_by_request: 'numbers@2', next: ['errors'] });
  const lines = requestExplanationView.table(explainedRequest(older, []), textStyle());
  expect(lines.join('\n')).toContain('holdfast requests errors numbers@1');
});
