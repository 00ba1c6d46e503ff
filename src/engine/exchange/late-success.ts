import type { Exchange, FinishReport } from '../../contract/records/exchange.ts';
import { revive } from '../../core/flow/revive.ts';
import { statusName } from '../../core/job/job-status.ts';
import { causeOf } from '../../core/job/outcome.ts';
import type { JobConfig } from '../../core/model/workflow-model.ts';
import { lockWorker, lockWorkflows } from '../../store/lock-rows.ts';
import { insertAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import { putFileMarks } from '../../store/rows/attempts/file-mark-rows.ts';
import { findLiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { type LostAttempt, listLostAttempts } from '../../store/rows/attempts/lost-attempt-rows.ts';
import { decodeConfig, getJob, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { toPending, toReadyForResult } from '../../store/rows/jobs/job-transitions.ts';
import { copyLogs } from '../../store/rows/logs/log-rows.ts';
import { findWorker } from '../../store/rows/workers/worker-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { endAttempts } from '../decide/end-attempts.ts';
import { leaveAttempt } from '../errands/order-question.ts';
import { followFlow } from '../flow/follow-flow.ts';
import { reopenRun } from '../runs/reopen-run.ts';
import { possibleEnd } from './possible-times.ts';
import { withoutSkew } from './without-skew.ts';

/**
 * A worker that was given up reports what it had: a success of a job that has no newer attempt is still used, so that
 * finished work is not repeated. It becomes an attempt of its own, since the one that was lost stays as it is.
 * Returns the tokens of the reports that were used.
 */
export function* acceptLateSuccesses(workerId: number, request: Exchange, now: number): Script<number[]> {
  const { finished } = withoutSkew(request, now);
  const successes = new Map(
    finished.filter(({ outcome }) => causeOf(outcome) === null).map((report) => [report.token, report]),
  );
  if (successes.size === 0) return [];
  yield* lockWorker(workerId);
  if ((yield* findWorker(workerId))?.retired_at == null) return [];
  const lost = yield* listLostAttempts(workerId, [...successes.keys()]);
  yield* lockWorkflows(lost.map(({ workflow_id }) => workflow_id));
  const used: number[] = [];
  for (const attempt of lost) {
    if (yield* useSuccess(workerId, attempt, successes.get(attempt.id)!, now)) used.push(attempt.id);
  }
  return used;
}

function* useSuccess(
  workerId: number,
  lost: LostAttempt,
  report: FinishReport,
  now: number,
): Script<boolean> {
  const workflow = (yield* findWorkflow(lost.workflow_id))!;
  const job = yield* getJob(lost.job_id);
  const isCurrent =
    workflow.run_id === lost.run_id && job.visit === lost.visit && job.attempt_id === lost.attempt_id;
  if (!isCurrent || !isWhole(report, decodeConfig(job.config)) || !(yield* openAgain(workflow, job, now)))
    return false;
  yield* toPending([job.id]);
  const token = yield* insertAttempt({
    workflow_id: lost.workflow_id,
    job_id: job.id,
    run_id: lost.run_id,
    visit: lost.visit,
    attempt_id: lost.attempt_id + 1,
    caller: lost.caller,
    worker_id: workerId,
    claimed_at: lost.claimed_at,
  });
  yield* copyLogs(lost.id, token);
  const { files = [], ...facts } = report;
  yield* putFileMarks({ id: token, workflow_id: lost.workflow_id, job_id: job.id }, files);
  const live = (yield* findLiveAttempt(token))!;
  const note = `reported late by worker ${workerId}, which had been given up: this is the result of attempt ${lost.attempt_id}`;
  const left = yield* leaveAttempt(live, { ...possibleEnd(facts, live, now), token, note }, now);
  if (left !== null) yield* endAttempts([{ live, ...left, reporter: null }], now);
  return true;
}

/** A post script can only run where the attempt ran, and a worker that was restarted may not know the outputs. */
function isWhole(report: FinishReport, { post, output, user_data: userData }: JobConfig): boolean {
  return (
    post === null &&
    (output === null || report.output !== undefined) &&
    (userData.outputs.length === 0 || report.user_data !== undefined)
  );
}

/** Makes a job claimable that is ready, or failed because its worker was lost too often. */
function* openAgain(workflow: WorkflowRow, job: JobRow, now: number): Script<boolean> {
  const status = statusName(job.status);
  if (status !== 'ready' && (status !== 'failed' || job.serves !== null)) return false;
  yield* toReadyForResult(job, status, 'its worker has reported a success');
  if (status === 'failed') {
    yield* followFlow(workflow, now, (draft) => revive(draft, [job.id], 'holdfast'));
    yield* reopenRun(workflow);
  }
  return true;
}
