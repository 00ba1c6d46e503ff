import { jobLabel } from '../core/job-label.ts';
import { type JobStatus, statusName } from '../core/job-status.ts';
import { describeOutcome, type Outcome } from '../core/outcome.ts';
import type { WorkflowStatus } from '../core/records.ts';
import { listLastFailures, listRunning, listWaiting } from '../store/attempt-rows.ts';
import { countByStatus, hasFailures, hasOpenJobs } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { listWorkersOf } from '../store/worker-rows.ts';
import { findRun, type WorkflowRow } from '../store/workflow-rows.ts';
import type { IsAlive } from './adopt-run.ts';
import { emptyCounts, workerRecord, workflowRecord } from './records.ts';

const SHOWN_JOBS = 20;
const SHOWN_FAILURES = 10;

export function* readStatus(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<WorkflowStatus> {
  const counts = emptyCounts();
  for (const { status, count } of yield* countByStatus(workflow.id)) counts[statusName(status)] = count;
  const some = (statuses: Iterable<JobStatus>) => [...statuses].some((status) => counts[status] > 0);
  const complete = !(yield* hasOpenJobs(workflow.id));
  const onlyWaiting = counts.pending_failed > 0 && !some(['ready', 'pending', 'running']);

  const run = yield* findRun(workflow.id, workflow.run_id);
  const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
  const running = yield* listRunning(workflow.id, SHOWN_JOBS);
  const waiting = yield* listWaiting(workflow.id, workflow.run_id, SHOWN_JOBS);
  const failures = yield* listLastFailures(workflow.id, workflow.run_id, SHOWN_FAILURES);

  return {
    workflow: workflowRecord(workflow),
    counts,
    complete,
    exit_code: onlyWaiting ? 3 : !complete ? null : (yield* hasFailures(workflow.id)) ? 1 : 0,
    started_at_ms: run.started_at,
    finished_at_ms: run.finished_at,
    workers: workers.filter((worker) => isAlive(worker, now)).map((worker) => workerRecord(worker, true)),
    running: running.map(({ started_at, scope, ...job }) => ({
      ...job,
      name: jobLabel({ ...job, scope }),
      started_at_ms: started_at,
    })),
    waiting: waiting.map(({ not_before, outcome, scope, ...job }) => ({
      ...job,
      name: jobLabel({ ...job, scope }),
      retry_available_at_ms: not_before,
      outcome: describeOutcome(JSON.parse(outcome) as Outcome),
    })),
    failures: failures.map((attempt) => ({
      job_id: attempt.job_id,
      name: jobLabel({ name: attempt.job_name, scope: attempt.scope }),
      attempt_id: attempt.attempt_id,
      outcome: describeOutcome(JSON.parse(attempt.outcome!) as Outcome),
      reason: attempt.reason ?? '',
      finished_at_ms: attempt.finished_at!,
    })),
    attempts: {
      finished: run.attempts_finished,
      mean_success_ms: run.successes > 0 ? run.success_ms / run.successes : null,
    },
  };
}
