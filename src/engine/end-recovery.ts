import { causeOf, describeOutcome, type Outcome } from '../core/outcome.ts';
import { appendEvent } from '../store/event-rows.ts';
import { finishRecovery, type RecoveryRow } from '../store/recovery-rows.ts';
import type { Script } from '../store/script.ts';

/** A recovery script has ended; whatever became of it, the retry goes on. */
export function* endRecovery(recovery: RecoveryRow, outcome: Outcome, now: number): Script<void> {
  yield* finishRecovery(recovery, outcome, now);
  const ending = describeOutcome(outcome);
  yield* appendEvent({
    workflow_id: recovery.workflow_id,
    run_id: recovery.run_id,
    job_id: recovery.job_id,
    attempt_id: recovery.attempt_id,
    at: now,
    type: 'recovery',
    reason:
      causeOf(outcome) === null
        ? 'the recovery script succeeded'
        : `the recovery script ended with ${ending}; the retry goes on all the same`,
    data: { outcome: ending },
  });
}
