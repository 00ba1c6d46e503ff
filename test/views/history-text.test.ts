import { expect, test } from 'vitest';
import { dagEventText } from '../../src/views/events/dag-event-text.ts';
import { fullHistoryText, historyText } from '../../src/views/requests/history-text.ts';

test.each([
  ['dag_submitted', { cluster: '17', directory: '/work/dag-1' }, 'DAGMan 17 is submitted, in /work/dag-1'],
  ['dag_problem', { problem: 'held: by hand' }, 'DAGMan waits: held: by hand'],
  ['dag_crashed', { cluster: '17' }, 'DAGMan 17 left the queue without a result, and is submitted again'],
  ['dag_ended', { how: 'removed', exit_code: 2 }, 'DAGMan was removed from the queue (exit 2)'],
  ['dag_ended', { how: 'not submitted' }, 'DAGMan has ended: not submitted'],
])('%s is described to people in a sentence, for workflows and for requests', (action, data, text) => {
  expect(dagEventText(action, data)).toBe(text);
  const record = { id: 1, at_ms: 0, actor: 'holdfast', action, subject: 'request r@1', data };
  expect(historyText(record)).toBe(text);
});

test.each([
  ['notification_sent', { event: 'held', target: 'mail ops' }, '"held" was sent to mail ops'],
  [
    'notification_failed',
    { event: 'held', target: 'mail ops', problem: 'refused' },
    '"held" could not be sent to mail ops: refused',
  ],
])('%s of a request is a sentence', (action, data, text) => {
  expect(historyText({ id: 1, at_ms: 0, actor: 'holdfast', action, subject: 'request r@1', data })).toBe(
    text,
  );
});

test.each([
  ['request_admitted', 'admitted'],
  ['round_hold', 'the round ended'],
])('%s is left out of short histories and has words in full ones', (action, text) => {
  const record = { id: 1, at_ms: 0, actor: 'holdfast', action, subject: 'request r@1', data: {} };
  expect(historyText(record)).toBeNull();
  expect(fullHistoryText(record)).toBe(text);
});

test('what is not about a DAG is left to others', () => {
  expect(dagEventText('run_started', {})).toBeNull();
});
