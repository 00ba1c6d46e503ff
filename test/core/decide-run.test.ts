import { describe, expect, test } from 'vitest';
import { decideRun, type RunFacts } from '../../src/core/run/decide-run.ts';

const NOTHING_OPEN = { ready: 0, pending: 0, running: 0, pending_failed: 0 };

function facts(changes: Partial<RunFacts>): RunFacts {
  return {
    open: NOTHING_OPEN,
    isComplete: true,
    isHeld: false,
    hasFailures: false,
    hasFailedJobs: false,
    ...changes,
  };
}

describe('the verdict on a run', () => {
  test('is completed with 0 when every job has ended and no failure counts', () => {
    expect(decideRun(facts({}))).toEqual({ state: 'completed', exit_code: 0 });
    expect(decideRun(facts({ hasFailedJobs: true }))).toEqual({ state: 'completed', exit_code: 0 });
  });

  test('is failed with 1 when a job failed, and canceled with 1 when jobs were only canceled', () => {
    const failed = facts({ hasFailures: true, hasFailedJobs: true });
    expect(decideRun(failed)).toEqual({ state: 'failed', exit_code: 1 });
    expect(decideRun(facts({ hasFailures: true }))).toEqual({ state: 'canceled', exit_code: 1 });
  });

  test('is waiting with 3 only while nothing but decisions can continue it', () => {
    const open = { ...NOTHING_OPEN, pending_failed: 2 };
    expect(decideRun(facts({ isComplete: false, open }))).toEqual({ state: 'waiting', exit_code: 3 });
    for (const status of ['ready', 'pending', 'running'] as const) {
      const busy = facts({ isComplete: false, open: { ...open, [status]: 1 } });
      expect(decideRun(busy), status).toEqual({ state: 'running', exit_code: null });
    }
  });

  test('is partial with 0 or 1 when only jobs are left that the run does not need', () => {
    const left = { isComplete: false, isHeld: true };
    expect(decideRun(facts(left))).toEqual({ state: 'partial', exit_code: 0 });
    expect(decideRun(facts({ ...left, hasFailures: true }))).toEqual({ state: 'partial', exit_code: 1 });
  });

  test('is open while jobs have not ended, whatever failed before', () => {
    const blocked = facts({ isComplete: false, hasFailures: true, hasFailedJobs: true });
    expect(decideRun(blocked)).toEqual({ state: 'running', exit_code: null });
  });
});
