import { expect, test } from 'vitest';
import { decisionsAbout, explainedJob } from '../../src/views/explanation.ts';
import { event } from '../cli/records.ts';
import { explanation } from '../cli/sample-explanation.ts';

test('an explanation has the decisions about the job, by attempt and as a whole, and no other events', () => {
  const first = event({ id: 1, type: 'decision', attempt_id: 1 });
  const second = event({ id: 2, type: 'decision', attempt_id: 2 });
  const changed = event({ id: 3, type: 'resources_changed', attempt_id: null });
  const otherRun = event({ id: 4, type: 'decision', attempt_id: 1, run_id: 2 });
  const explained = explainedJob(explanation(), [first, event({ id: 5 }), second, changed, otherRun]);
  expect(explained.decisions).toEqual([first, second, changed, otherRun]);
  expect(decisionsAbout(explained, { run_id: 1, attempt_id: 1 })).toEqual([first]);
  expect(decisionsAbout(explained, { run_id: 2, attempt_id: 1 })).toEqual([otherRun]);
  expect(decisionsAbout(explained, null)).toEqual([changed]);
});
