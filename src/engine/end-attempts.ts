import type { FinishReport, RecoveryOrder } from '../core/exchange.ts';
import type { LiveAttempt } from '../store/attempt-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { hasOpenJobs } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { addToRun, finishRun, type RunTotals } from '../store/workflow-rows.ts';
import { type Closer, endAttempt } from './end-attempt.ts';

export interface AttemptEnding {
  live: LiveAttempt;
  report: Omit<FinishReport, 'token'>;
}

/**
 * Ends attempts one by one, adds them to their runs' totals, and ends the runs that are complete by it. Returns
 * the recovery scripts that the closer has to run.
 */
export function* endAttempts(endings: AttemptEnding[], now: number, closer: Closer): Script<RecoveryOrder[]> {
  const recoveries: RecoveryOrder[] = [];
  const runs = new Map<string, RunTotals & { workflowId: number; runId: number }>();
  for (const { live, report } of endings) {
    const decision = yield* endAttempt(live, report, now, closer);
    if (decision.recoveryScript !== null) {
      recoveries.push({
        token: live.id,
        script: decision.recoveryScript,
        return_code: decision.matchCode ?? 0,
      });
    }
    const key = `${live.workflow_id} ${live.run_id}`;
    const run = runs.get(key) ?? {
      workflowId: live.workflow_id,
      runId: live.run_id,
      attempts_finished: 0,
      successes: 0,
      success_ms: 0,
    };
    runs.set(key, run);
    run.attempts_finished += 1;
    const startedAt = live.started_at ?? report.started_at_ms;
    if (decision.verdict.kind === 'complete' && startedAt !== null) {
      run.successes += 1;
      run.success_ms += report.finished_at_ms - startedAt;
    }
  }
  for (const { workflowId, runId, ...totals } of runs.values()) {
    yield* addToRun(workflowId, runId, totals);
    yield* finishIfComplete(workflowId, runId, now);
  }
  return recoveries;
}

/** Ends the run when no job is open any more. */
export function* finishIfComplete(workflowId: number, runId: number, now: number): Script<void> {
  if (yield* hasOpenJobs(workflowId)) return;
  if (!(yield* finishRun(workflowId, runId, now))) return;
  yield* appendEvent({ workflow_id: workflowId, run_id: runId, at: now, type: 'run_finished' });
}
