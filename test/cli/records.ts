import { createPaint } from '../../src/cli/terminal/styled-line.ts';
import type { TextStyle } from '../../src/cli/terminal/text-style.ts';
import type {
  AttemptRecord,
  EventRecord,
  JobRecord,
  StatusCounts,
  WorkerRecord,
  WorkflowStatus,
} from '../../src/contract/records/records.ts';
import type { Evaluation } from '../../src/core/job/evaluation.ts';
import { JOB_STATUSES, type JobStatus } from '../../src/core/job/job-status.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import type { RunResult } from '../../src/views/run-result.ts';

/** Noon of a day, in the time zone of whoever runs the tests. */
export const NOON = new Date(2026, 2, 3, 12, 0, 0).getTime();

export function textStyle(given: Partial<TextStyle> = {}): TextStyle {
  return {
    width: Number.POSITIVE_INFINITY,
    now: NOON,
    paint: createPaint(false),
    cwd: '/home/ada',
    command: (...words) => ['holdfast', ...words].join(' '),
    ...given,
  };
}

export function counts(given: Partial<Record<JobStatus, number>>): StatusCounts {
  return { ...(Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])) as StatusCounts), ...given };
}

export function status(given: Partial<WorkflowStatus> = {}): WorkflowStatus {
  return {
    workflow: {
      id: 3,
      name: 'nightly',
      description: null,
      user: null,
      project: null,
      owner: 'ada',
      access_groups: [],
      run_id: 1,
      created_at_ms: NOON - 60_000,
      cwd: '/home/ada',
      output_dir: '/home/ada/output',
      max_parallel: null,
      limits: {},
      job_count: 10,
      use_pending_failed: false,
      shared: false,
      executor: 'workers',
      archived_at_ms: null,
      until: null,
      run_settings: null,
      paused: null,
    },
    counts: counts({ completed: 5, running: 2, ready: 1, blocked: 2 }),
    complete: false,
    held: { jobs: 0, ready: 0 },
    exit_code: null,
    started_at_ms: NOON - 60_000,
    finished_at_ms: null,
    workers: [],
    running: [],
    waiting: [],
    failures: [],
    errands: [],
    actions_due: 0,
    allocations: { queued: 0, running: 0, stuck: [] },
    held_schedulers: [],
    attempts: { finished: 5, mean_success_ms: 4000 },
    ...given,
  };
}

export function job(given: Partial<JobRecord> = {}): JobRecord {
  return {
    id: 7,
    workflow_id: 3,
    run_id: 1,
    name: 'train_1',
    scope: '',
    status: 'completed',
    priority: 0,
    visit: 1,
    attempt_id: 1,
    current_attempt_id: 1,
    failure_count: 0,
    preemption_count: 0,
    max_retries_failure: 0,
    max_retries_preemption: 100,
    retry_available_at_ms: 0,
    next_retry_delay_ms: 0,
    reason: null,
    cancel_requested: false,
    retry_requested: false,
    ...given,
  };
}

export function attempt(given: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    job_id: 7,
    job_name: 'train_1',
    scope: '',
    run_id: 1,
    visit: 1,
    caller: null,
    attempt_id: 1,
    worker_id: 1,
    state: 'FAILED',
    exit_code: 1,
    signal: null,
    error: 'exit 1',
    claimed_at_ms: NOON - 2000,
    started_at_ms: NOON - 2000,
    finished_at_ms: NOON - 500,
    is_worker_failure: false,
    outcome: outcome({ exit_code: 1 }),
    cause: 'exit',
    match_code: 1,
    category: 'transient',
    verdict: 'retry',
    rule: 'retry',
    handler_outcome: null,
    recovery: null,
    reason: 'retry 1 of 3 after 1s',
    route: null,
    evaluations: [],
    actor: null,
    post: null,
    usage: null,
    stdout_path: '/home/ada/output/job_stdio/job_wf3_j7_r1_a1.o',
    stderr_path: '/home/ada/output/job_stdio/job_wf3_j7_r1_a1.e',
    output: null,
    ...given,
  };
}

export function event(given: Partial<EventRecord> = {}): EventRecord {
  return {
    id: 12,
    workflow_id: 3,
    run_id: 1,
    job_id: 7,
    job_name: 'train_1',
    scope: '',
    attempt_id: 1,
    at_ms: NOON + 67_000,
    type: 'completed',
    actor: null,
    reason: 'exit 0 and every declared output exists',
    data: { duration_ms: 1234, outcome: 'exit 0' },
    ...given,
  };
}

export function evaluation(given: Partial<Evaluation> = {}): Evaluation {
  return {
    key: 'goto_js',
    result: { ok: true, value: 'setup' },
    ms: 1.25,
    inputs: { attempt: 1, loop: 0, error: null, foreach: null, env: {} },
    ...given,
  };
}

/** How a run ended of which only its status matters. */
export function runResult(given: Partial<RunResult> = {}): RunResult {
  return { status: status(), trace: [], debug: false, failed: [], recovered: [], hints: [], ...given };
}

export function worker(pid: number, given: Partial<WorkerRecord> = {}): WorkerRecord {
  return {
    id: 1,
    host: 'box',
    pid,
    site: 'local',
    labels: [],
    kind: 'run',
    state: 'active',
    alive: true,
    cpus: 4,
    memory_bytes: 8 * 1024 ** 3,
    gpus: 0,
    nodes: null,
    max_parallel: null,
    ends_at_ms: null,
    allocation_id: null,
    running: 0,
    registered_at_ms: NOON,
    lease_ms: 30_000,
    lease_expires_at_ms: NOON + 30_000,
    ...given,
  };
}
