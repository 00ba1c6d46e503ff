import { expect, test } from 'vitest';
import type { AttentionItem } from '../../src/contract/records/overview.ts';
import type { BanRecord } from '../../src/contract/records/request.ts';
import {
  endingBans,
  pausedSchedulers,
  pendingGroups,
  silentWorkers,
} from '../../src/views/home/attention.ts';

const failures = (workflow: number, fingerprint: string, jobs: number): AttentionItem => ({
  kind: 'failures',
  workflow_id: workflow,
  workflow_name: `w${workflow}`,
  fingerprint,
  cause: 'exit',
  match_code: 1,
  error: 'exit 1',
  jobs,
  sample: { job_id: 1, name: 'a', run_id: 1, attempt_id: 1 },
  finished_at_ms: workflow,
});
const scheduler: AttentionItem = {
  kind: 'scheduler',
  workflow_id: 1,
  workflow_name: 'w1',
  name: 's',
  reason: 'refused',
  paused_at_ms: 5,
};

test('failures that look alike are one group over all workflows, the largest first', () => {
  const groups = pendingGroups([failures(1, 'x', 3), failures(2, 'y', 2), scheduler, failures(3, 'y', 2)]);
  expect(groups.map(({ fingerprint, jobs, workflows }) => [fingerprint, jobs, workflows.length])).toEqual([
    ['y', 4, 2],
    ['x', 3, 1],
  ]);
  expect(groups[0]!.finished_at_ms).toBe(3);
  expect(pausedSchedulers([failures(1, 'x', 3), scheduler])).toEqual([scheduler]);
  expect(silentWorkers([failures(1, 'x', 3), scheduler])).toEqual([]);
});

test('bans that end within a day are shown, the first one first', () => {
  const hour = 3_600_000;
  const ban = (id: number, end: number | null) => ({ id, expires_at_ms: end }) as BanRecord;
  const bans = [ban(1, 30 * hour), ban(2, 20 * hour), ban(3, null), ban(4, 2 * hour), ban(5, 0)];
  const site = { name: 's', workers: 1, attempts: { total: 0, failed: 0, infrastructure: 0 }, bans };
  expect(endingBans([site], hour).map(({ id }) => id)).toEqual([4, 2]);
});
