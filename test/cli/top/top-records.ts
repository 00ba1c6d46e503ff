import { type Start, startState, type TopState } from '../../../src/cli/top/top-state.ts';
import { type Update, update } from '../../../src/cli/top/update.ts';
import type { JobRecord } from '../../../src/contract/records/records.ts';
import type { FailureSummary } from '../../../src/contract/records/resolution.ts';
import { counts, job, NOON, status } from '../records.ts';

export const SIZE = { columns: 80, rows: 24 };

export function startedWith(given: Partial<Start> = {}): TopState {
  return startState({ workflow: { id: 3, name: 'nightly' }, isNamed: true, ...given });
}

/** The list of jobs of workflow 3. */
export function withJobs(
  names: string[],
  next: number | null = null,
  given: Partial<JobRecord> = {},
): TopState {
  const state = startedWith();
  const items = names.map((name, index) => job({ id: index + 1, name, ...given }));
  const data = { view: 'jobs', status: status(), items, next } as const;
  return { ...state, readAt: NOON, lists: { ...state.lists, jobs: { ...state.lists.jobs, data } } };
}

export function group(given: Partial<FailureSummary> = {}): FailureSummary {
  return {
    fingerprint: 'e0bbd44b3ffa',
    cause: 'exit',
    match_code: 3,
    error: 'exit 3',
    jobs: 12,
    waiting: 12,
    sample: {
      job_id: 9,
      name: 'train_9',
      status: 'pending_failed',
      attempt_id: 1,
      run_id: 1,
      stdout_path: '/o',
      stderr_path: '/e',
      memory_bytes: null,
      runtime_ms: null,
      peak_rss_bytes: null,
      ran_ms: 5,
      finished_at_ms: NOON,
    },
    past: { retried: 0, succeeded: 0, failed_again: 0, failed: 0, latest: [] },
    ...given,
  };
}

/** The list of failures of workflow 3. */
export function withFailures(groups: FailureSummary[]): TopState {
  const state = { ...startedWith(), view: 'failures' as const };
  const shown = status({ counts: counts({ pending_failed: 12 }) });
  const data = { view: 'failures', status: shown, groups, more: false } as const;
  return { ...state, lists: { ...state.lists, failures: { ...state.lists.failures, data } } };
}

/** What several keys do, one after the other; the effects of all of them. */
export function press(state: TopState, ...keys: string[]): Update {
  let now: Update = { state, effects: [] };
  for (const key of keys) {
    const next = update(now.state, key, SIZE);
    now = { state: next.state, effects: [...now.effects, ...next.effects] };
  }
  return now;
}
