import { describe, expect, test } from 'vitest';
import { newestJob, waitingJobs } from '../../src/views/failure-group.ts';
import { failedJob, group } from '../cli/decision-records.ts';
import { NOON } from '../cli/records.ts';

describe('a group of failures', () => {
  test('is sampled where a job failed last, whatever its number', () => {
    const early = failedJob({ job_id: 9, name: 'early', finished_at_ms: NOON - 1000 });
    const late = failedJob({ job_id: 2, name: 'late', finished_at_ms: NOON });
    expect(newestJob(group({ jobs: [early, late] })).name).toBe('late');
    expect(newestJob(group({ jobs: [late, early] })).name).toBe('late');
  });

  test('is sampled at the highest number where jobs failed at the same time', () => {
    const jobs = [3, 8, 5].map((job_id) => failedJob({ job_id }));
    expect(newestJob(group({ jobs })).job_id).toBe(8);
  });

  test('counts the jobs that wait for a decision', () => {
    const groups = [
      group({ jobs: [failedJob(), failedJob({ status: 'failed' })] }),
      group({ jobs: [failedJob()] }),
    ];
    expect(waitingJobs(groups)).toBe(2);
    expect(waitingJobs([])).toBe(0);
  });
});
