import { expect, test } from 'vitest';
import { assertPauseTransition } from '../../src/core/run/pause-transitions.ts';
import { assertRunTransition, RUN_ENDS, RUN_TRANSITIONS } from '../../src/core/run/run-transitions.ts';
import { statesBefore } from '../../src/core/state-transition.ts';
import { WORKER_TRANSITIONS } from '../../src/core/worker/worker-transitions.ts';

test('a run does not move from one end to another, and a replaced run never moves again', () => {
  for (const from of RUN_ENDS) {
    for (const to of RUN_ENDS) {
      expect(() => assertRunTransition(from, to)).toThrow(`no run moves from ${from} to ${to}`);
    }
  }
  expect(RUN_TRANSITIONS.filter(({ from }) => from === 'replaced')).toEqual([]);
});

test('a stopped workflow is resumed before it can be paused', () => {
  expect(() => assertPauseTransition('stopped', 'paused')).toThrow('no pause moves from stopped to paused');
});

test('a retired worker never moves again', () => {
  expect(WORKER_TRANSITIONS.filter(({ from }) => from === 'retired')).toEqual([]);
  expect(statesBefore(WORKER_TRANSITIONS, 'draining')).toEqual(['active']);
});
