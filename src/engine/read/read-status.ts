import type { ErrandRecord } from '../../contract/records/errand.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import { countAlive, listStuck } from '../../store/rows/allocations/allocation-rows.ts';
import { listSchedulers, type SchedulerRow } from '../../store/rows/allocations/scheduler-rows.ts';
import { listLastFailures, listRunning, listWaiting } from '../../store/rows/attempts/attempt-rows.ts';
import { countUndoneActions } from '../../store/rows/errands/action-rows.ts';
import { listRunningErrands, type RunningErrandRow } from '../../store/rows/errands/errand-list-rows.ts';
import { listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { workerRecord, workflowRecord } from '../records/records.ts';
import { readRun } from '../runs/read-run.ts';
import type { IsAlive } from '../workers/adopt-run.ts';

const SHOWN_JOBS = 20;
const SHOWN_FAILURES = 10;

export function* readStatus(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<WorkflowStatus> {
  const { counts, complete, held, verdict } = yield* readRun(workflow.id);
  const run = yield* findRun(workflow.id, workflow.run_id);
  const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
  const running = yield* listRunning(workflow.id, SHOWN_JOBS);
  const waiting = yield* listWaiting(workflow.id, workflow.run_id, SHOWN_JOBS);
  const errands = yield* listRunningErrands(workflow.id, SHOWN_JOBS);
  const failures = yield* listLastFailures(workflow.id, workflow.run_id, SHOWN_FAILURES);

  return {
    workflow: workflowRecord(workflow),
    counts,
    complete,
    held: { jobs: held.jobs, ready: held.ready },
    exit_code: verdict.exit_code,
    started_at_ms: run.started_at,
    finished_at_ms: run.finished_at,
    workers: workers
      .filter((worker) => isAlive(worker, now))
      .map((worker) => workerRecord(worker, true, now)),
    running: running.map(({ started_at, scope, ...job }) => ({
      ...job,
      name: jobLabel({ ...job, scope }),
      started_at_ms: started_at,
    })),
    waiting: waiting.map(({ waiting_until, outcome, scope, ordered_at, timeout_ms, ...job }) => ({
      ...job,
      name: jobLabel({ ...job, scope }),
      retry_available_at_ms: waiting_until,
      outcome: describeOutcome(JSON.parse(outcome) as Outcome),
      recovery: ordered_at === null ? null : { started_at_ms: ordered_at, timeout_ms: timeout_ms! },
    })),
    failures: failures.map((attempt) => ({
      job_id: attempt.job_id,
      name: jobLabel({ name: attempt.job_name, scope: attempt.scope }),
      attempt_id: attempt.attempt_id,
      outcome: describeOutcome(JSON.parse(attempt.outcome!) as Outcome),
      reason: attempt.reason ?? '',
      finished_at_ms: attempt.finished_at!,
    })),
    errands: errands.map(errandRecord),
    actions_due: complete ? yield* countUndoneActions(workflow.id, workflow.run_id) : 0,
    allocations: { ...(yield* countAlive(workflow.id)), stuck: yield* listStuck(workflow.id) },
    held_schedulers: heldSchedulers(yield* listSchedulers(workflow.id), now),
    attempts: {
      finished: run.attempts_finished,
      mean_success_ms: run.successes > 0 ? run.success_ms / run.successes : null,
    },
  };
}

function heldSchedulers(rows: readonly SchedulerRow[], now: number): WorkflowStatus['held_schedulers'] {
  return rows.flatMap(({ name, paused_at, pause_reason, refusal, next_try_at }) => {
    if (paused_at !== null) return { name, paused: true, reason: pause_reason!, next_try_at_ms: null };
    if (refusal === null || next_try_at === null || next_try_at <= now) return [];
    return { name, paused: false, reason: refusal, next_try_at_ms: next_try_at };
  });
}

function errandRecord({
  scope,
  trigger_type,
  started_at,
  cancel_requested,
  ...row
}: RunningErrandRow): ErrandRecord {
  return {
    ...row,
    name: row.name === null ? null : jobLabel({ name: row.name, scope: scope! }),
    trigger: trigger_type,
    started_at_ms: started_at,
    cancel_requested: cancel_requested === 1,
  };
}
