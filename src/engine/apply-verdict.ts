import type { Decision, Verdict } from '../core/decision.ts';
import type { RouteTaken } from '../core/records.ts';
import type { RoutingConfig } from '../core/routes.ts';
import type { LiveAttempt } from '../store/attempt-rows.ts';
import { endOvertakenCall, reenter, setReentry } from '../store/job-route-rows.ts';
import { getJob } from '../store/job-rows.ts';
import { findCall } from '../store/route-rows.ts';
import { addLoop, findScope } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import { cancelOpenJobs } from './cancel-jobs.ts';
import { abortScope, conclude, followRoute, jump, loopAbortReason } from './conclude.ts';
import { releaseReentries, waitsForNobody } from './go-back.ts';
import { beginRoute, endAbandonedCall, serveWaitingCall } from './run-calls.ts';
import type { RunOf } from './settle-dependents.ts';

/** What the decision means for others, after the attempt is closed and its job has moved. */
export function* applyVerdict(
  live: LiveAttempt,
  { cause, verdict }: Decision,
  reason: string,
  now: number,
): Script<void> {
  const workflow = { id: live.workflow_id, run_id: live.run_id };
  const job = { id: live.job_id, name: live.job_name, scope: live.scope };
  switch (verdict.kind) {
    case 'complete':
    case 'fail':
    case 'cancel':
    case 'disable':
      yield* conclude(workflow, [job.id], now);
      break;
    case 'abort':
      yield* cancelOpenJobs(
        workflow,
        null,
        { reason: `aborted: ${live.job_name}: ${reason}`, actor: null },
        now,
      );
      yield* conclude(workflow, [job.id], now);
      break;
    case 'retry':
    case 'call':
      if (verdict.run.length > 0) yield* runSteps(workflow, live, verdict, now);
      break;
    case 'goto':
      yield* jump(workflow, job, verdict.target, now);
      break;
    case 'loop_abort':
      yield* conclude(workflow, [...(yield* abortScope(workflow, job, now)), job.id], now);
      break;
    case 'supersede':
      yield* startOver(workflow, live.job_id, cause === null, now);
      break;
    case 'requeue':
    case 'ask':
    case 'evaluate':
      break;
  }
  if (live.superseded === 1) yield* releaseReentries(workflow, now);
}

function* runSteps(
  workflow: RunOf,
  live: LiveAttempt,
  verdict: Extract<Verdict, { kind: 'retry' | 'call' }>,
  now: number,
): Script<void> {
  const ended = yield* beginRoute(
    workflow,
    {
      token: live.id,
      job_id: live.job_id,
      kind: verdict.kind === 'call' ? 'on_success' : 'on_fail',
      not_before: verdict.kind === 'call' ? null : verdict.notBefore,
    },
    verdict.run,
    { name: live.job_name, scope: live.scope },
    now,
  );
  if (ended !== null) yield* conclude(workflow, yield* followRoute(workflow, ended, now), now);
}

/**
 * An overtaken attempt has ended: its job runs again. If it had been called, its caller is told how it ended, unless
 * that was overtaken too.
 */
function* startOver(workflow: RunOf, jobId: number, succeeded: boolean, now: number): Script<void> {
  const row = yield* getJob(jobId);
  if (row.call_id === null) {
    yield* reenter(row.id, row.reason ?? 'runs again after a goto');
    if (yield* waitsForNobody(row.id)) yield* setReentry(row.id, true);
  } else if ((yield* findCall(row.call_id)).state === 'dropped') yield* endAbandonedCall(workflow, row, now);
  else {
    const status = succeeded ? 'completed' : 'failed';
    yield* endOvertakenCall(row.id, status, 'it did not succeed, and a goto overtook it');
    yield* conclude(workflow, [row.id], now);
  }
  yield* serveWaitingCall(row.id);
}

/** The loop that a decision takes, and how it is told; null if no route gave the decision. */
export function* takeLoop(
  live: LiveAttempt,
  { rule, verdict, reason }: Decision,
): Script<{ taken: RouteTaken; reason: string } | null> {
  const isReattempt = verdict.kind === 'retry' && rule === 'routes';
  if (!isReattempt && verdict.kind !== 'goto' && verdict.kind !== 'loop_abort' && verdict.kind !== 'call') {
    return null;
  }
  const { maxLoops } = JSON.parse(live.routing) as RoutingConfig;
  const counts = isReattempt || verdict.kind === 'goto';
  const loop = counts
    ? yield* addLoop(live.workflow_id, live.scope)
    : (yield* findScope(live.workflow_id, live.scope)).loops;
  const taken: RouteTaken = {
    kind: verdict.kind as RouteTaken['kind'],
    ...((verdict.kind === 'retry' || verdict.kind === 'call') && verdict.run.length > 0
      ? { run: verdict.run }
      : {}),
    ...(verdict.kind === 'goto' ? { target: verdict.target } : {}),
    loop,
    max_loops: maxLoops,
  };
  const workflow = { id: live.workflow_id, run_id: live.run_id };
  return {
    taken,
    reason: verdict.kind === 'loop_abort' ? yield* loopAbortReason(workflow, live.scope, reason) : reason,
  };
}
