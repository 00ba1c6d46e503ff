import type { RouteTaken } from '../../contract/records/records.ts';
import { serveWaitingCall } from '../../core/flow/calls.ts';
import { runOvertakenAgain } from '../../core/flow/conclude.ts';
import { releaseReentries } from '../../core/flow/reentries.ts';
import type { Decision, Verdict } from '../../core/policy/decision.ts';
import type { RoutingConfig } from '../../core/policy/routes.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { addLoop, findScope } from '../../store/rows/flow/scope-rows.ts';
import type { Script } from '../../store/script.ts';
import { cancelOpenJobs } from '../flow/cancel-jobs.ts';
import { abortLoops, conclude, loopAbortReason } from '../flow/conclude.ts';
import { followFlow, type RunOf } from '../flow/follow-flow.ts';
import { jump } from '../flow/go-back.ts';
import { beginRoute } from '../flow/run-calls.ts';

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
      yield* conclude(workflow, [job.id, ...(yield* abortLoops(workflow, job, now))], now);
      break;
    case 'supersede':
      yield* endOvertaken(workflow, live.job_id, cause === null, now);
      break;
    case 'requeue':
    case 'ask':
      break;
  }
  if (live.overtaken) yield* followFlow(workflow, now, releaseReentries);
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
  yield* conclude(workflow, ended, now);
}

/** An overtaken attempt has ended: its job runs again, unless it had been called. */
function* endOvertaken(workflow: RunOf, jobId: number, succeeded: boolean, now: number): Script<void> {
  const isCalled = yield* followFlow(workflow, now, (draft) =>
    runOvertakenAgain(draft, draft.job(jobId), succeeded),
  );
  if (isCalled) yield* conclude(workflow, [jobId], now);
  yield* followFlow(workflow, now, (draft) => serveWaitingCall(draft, jobId));
}

/** The loop that a decision takes, and how it is shown; null if no route gave the decision. */
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
