import type {
  DecisionRecord,
  FailedJob,
  ResolvedJob,
  Utilization,
} from '../../src/contract/records/resolution.ts';
import type { SampledFailureGroup } from '../../src/views/failure-group.ts';
import { NOON } from './records.ts';

export function failedJob(given: Partial<FailedJob> = {}): FailedJob {
  return {
    job_id: 7,
    name: 'train_1',
    status: 'pending_failed',
    attempt_id: 1,
    run_id: 1,
    stdout_path: '/home/ada/output/job_stdio/job_wf3_j7_r1_a1.o',
    stderr_path: '/home/ada/output/job_stdio/job_wf3_j7_r1_a1.e',
    memory_bytes: null,
    runtime_ms: null,
    peak_rss_bytes: null,
    ran_ms: 1500,
    finished_at_ms: NOON,
    ...given,
  };
}

export function group(given: Partial<SampledFailureGroup> = {}): SampledFailureGroup {
  return {
    fingerprint: 'abcd12345678',
    cause: 'exit',
    match_code: 7,
    error: 'exit 7',
    jobs: [failedJob()],
    past: { retried: 0, succeeded: 0, failed_again: 0, failed: 0, latest: [] },
    stderr_tail: '',
    ...given,
  };
}

export function decision(given: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    id: 1,
    workflow_id: 3,
    run_id: 1,
    job_id: 7,
    job_name: 'train_1',
    attempt_id: 1,
    action: 'retry',
    actor: 'ada',
    reason: null,
    confidence: null,
    fingerprint: 'abcd12345678',
    memory_bytes: null,
    runtime_ms: null,
    decided_at_ms: NOON - 3_600_000,
    became: 'succeeded',
    ...given,
  };
}

export function resolved(given: Partial<ResolvedJob> = {}): ResolvedJob {
  return {
    job_id: 7,
    name: 'train_1',
    action: 'retry',
    result: 'resolved',
    attempt_id: 1,
    reason: null,
    confidence: null,
    memory_bytes: null,
    runtime_ms: null,
    canceled: [],
    ...given,
  };
}

/** Of a job that asked for nothing and was too short to measure. */
export function utilization(given: Partial<Utilization> = {}): Utilization {
  return {
    job_id: 7,
    name: 'train_1',
    status: 'completed',
    run_id: 1,
    attempt_id: 1,
    memory_requested_bytes: null,
    peak_rss_bytes: null,
    runtime_limit_ms: null,
    ran_ms: null,
    cpus_requested: null,
    cpus_used: null,
    sample_count: 0,
    ...given,
  };
}
