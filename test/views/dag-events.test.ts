import { expect, test } from 'vitest';
import { dagEventText } from '../../src/views/events/dag-event-text.ts';
import { historyText } from '../../src/views/requests/history-text.ts';

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

test('what is not about a DAG is left to others', () => {
  expect(dagEventText('run_started', {})).toBeNull();
});
