import type { Outcome } from '../core/outcome.ts';
import { all, run, type Script } from './script.ts';

/** A recovery script is ordered, at most once for an attempt. */
export function* insertRecovery(token: number, jobId: number, workerId: number, now: number): Script<void> {
  yield* run(
    'insert into recovery (token, job_id, worker_id, ordered_at) values (?, ?, ?, ?)',
    token,
    jobId,
    workerId,
    now,
  );
}

export interface RecoveryRow {
  token: number;
  job_id: number;
  workflow_id: number;
  run_id: number;
  attempt_id: number;
}

const OPEN = `select recovery.token, recovery.job_id, attempt.workflow_id, attempt.run_id, attempt.attempt_id
  from recovery join attempt on attempt.id = recovery.token where recovery.finished_at is null`;

/** Scripts that the worker has not reported yet. */
export function* listHeldRecoveries(workerId: number): Script<RecoveryRow[]> {
  return yield* all<RecoveryRow>(`${OPEN} and recovery.worker_id = ? order by recovery.token`, workerId);
}

/** The script has ended, one way or another: the retry waits for its backoff only. */
export function* finishRecovery(recovery: RecoveryRow, outcome: Outcome, now: number): Script<void> {
  yield* run(
    'update recovery set finished_at = ?, outcome = ? where token = ? and finished_at is null',
    now,
    JSON.stringify(outcome),
    recovery.token,
  );
  yield* run(
    'update job set recovery_token = null where id = ? and recovery_token = ?',
    recovery.job_id,
    recovery.token,
  );
}
