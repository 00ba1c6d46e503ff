import { causeOf, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import { findAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import { findTrigger } from '../../store/rows/errands/action-rows.ts';
import { type ErrandRow, finishErrand } from '../../store/rows/errands/errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { endWaitForRecovery } from '../../store/rows/jobs/job-transitions.ts';
import type { Script } from '../../store/script.ts';
import { endOutputs } from './end-outputs.ts';

/** A script beside attempts has ended. A recovery script or an action does not run again. */
export function* endScript(errand: ErrandRow, outcome: Outcome, now: number): Script<void> {
  if (errand.kind === 'outputs') {
    yield* endOutputs(errand.id, outcome, now);
    return;
  }
  yield* finishErrand(errand.id, outcome, now);
  if (errand.kind === 'action') yield* recordAction(errand, outcome, now);
  else yield* continueAfterRecovery(errand, outcome, now);
}

/** However the recovery script ended, the job is retried. */
function* continueAfterRecovery(errand: ErrandRow, outcome: Outcome, now: number): Script<void> {
  const [jobId, token] = [errand.job_id!, errand.token!];
  const isAwaited = yield* endWaitForRecovery(jobId, token);
  const ending = describeOutcome(outcome);
  yield* appendEvent({
    workflow_id: errand.workflow_id,
    run_id: errand.run_id,
    job_id: jobId,
    attempt_id: (yield* findAttempt(token)).attempt_id,
    at: now,
    type: 'recovery',
    reason:
      causeOf(outcome) === null
        ? 'the recovery script succeeded'
        : isAwaited
          ? `the recovery script ended with ${ending}; the job is retried all the same`
          : `the recovery script was ended, because the job does not wait for it any more: ${ending}`,
    data: { outcome: ending },
  });
}

/** An action that fails is recorded, and changes nothing else. */
function* recordAction(errand: ErrandRow, outcome: Outcome, now: number): Script<void> {
  const [action_id, ending] = [errand.action_id!, describeOutcome(outcome)];
  const trigger = yield* findTrigger(action_id);
  yield* appendEvent({
    workflow_id: errand.workflow_id,
    run_id: errand.run_id,
    at: now,
    type: 'action',
    reason: `${trigger}: ${causeOf(outcome) === null ? 'done' : `failed with ${ending}`}`,
    data: { action_id, trigger, outcome: ending },
  });
}
