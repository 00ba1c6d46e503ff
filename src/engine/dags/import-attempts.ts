import { asDagmanDecided, attemptOfRecord } from '../../core/dag/recorded-attempt.ts';
import { JOB_STATUS } from '../../core/job/job-status.ts';
import { DEFAULT_ERROR_SETTINGS, type ErrorSettings } from '../../core/request/error-settings.ts';
import type { PostRecord } from '../../core/request/post-record.ts';
import { insertAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import { findLiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { dagWorkerAt } from '../../store/rows/dags/dag-worker-rows.ts';
import { getJob } from '../../store/rows/jobs/job-rows.ts';
import { toPending } from '../../store/rows/jobs/job-transitions.ts';
import { putLog } from '../../store/rows/logs/log-rows.ts';
import { addToRun } from '../../store/rows/workflows/run-rows.ts';
import type { Script } from '../../store/script.ts';
import { endAttempt } from '../decide/end-attempt.ts';
import { judgeAttempt } from '../decide/judge-attempt.ts';
import type { RunOf } from '../flow/follow-flow.ts';

/** Where jobs ran whose machine does not name a site. */
const NO_SITE = 'htcondor';

/**
 * Records an attempt that DAGMan ran, and moves its job as DAGMan did. Returns false where the job cannot have had it
 * yet, because it waits for others or has ended. Does not end the run. `settings` are those of the request; null: the
 * workflow has none, and its attempts are classified without a post step, as with workers.
 */
export function* importAttempt(
  run: RunOf,
  jobId: number,
  record: PostRecord,
  settings: ErrorSettings | null,
  now: number,
): Script<boolean> {
  const job = yield* getJob(jobId);
  if (job.status !== JOB_STATUS.ready || job.waiting_for !== null) return false;
  const ended = attemptOfRecord(record, settings ?? DEFAULT_ERROR_SETTINGS);
  yield* toPending([jobId]);
  const token = yield* insertAttempt({
    workflow_id: run.id,
    job_id: jobId,
    run_id: run.run_id,
    visit: job.visit,
    attempt_id: job.attempt_id + 1,
    caller: null,
    worker_id: yield* dagWorkerAt(record.job.site ?? NO_SITE, now),
    claimed_at: ended.started_at_ms ?? ended.finished_at_ms,
  });
  if (record.log_tail !== '') {
    yield* putLog(token, 'stderr', { first_byte: 0, data: Buffer.from(`${record.log_tail}\n`) });
  }
  const live = (yield* findLiveAttempt(token))!;
  const { fingerprint, post, ...rest } = ended;
  const report = {
    ...rest,
    ...(settings !== null && { post }),
    ...(fingerprint !== null && { fingerprint }),
  };
  const { config } = live;
  const judged = yield* judgeAttempt(live, report, config);
  const decision = asDagmanDecided(judged.decision, record, config.continue_on_failure);
  yield* endAttempt(live, report, now, null, { ...judged, decision });
  const isSuccess = decision.verdict.kind === 'complete' && ended.started_at_ms !== null;
  yield* addToRun(run.id, run.run_id, {
    attempts_finished: 1,
    successes: isSuccess ? 1 : 0,
    success_ms: isSuccess ? ended.finished_at_ms - ended.started_at_ms! : 0,
  });
  return true;
}
