import { HoldfastError } from '../core/errors.ts';
import type { FinishReport, HeldAttempt, ResumedWorker, WorkerIdentity } from '../core/exchange.ts';
import { listHeldActions } from '../store/action-rows.ts';
import { type LiveAttempt, listHeldAttempts } from '../store/attempt-rows.ts';
import { getJob } from '../store/job-rows.ts';
import { lockHeldWorkflows, lockWorker } from '../store/lock-rows.ts';
import { listHeldRecoveries } from '../store/recovery-rows.ts';
import { releaseHeldRoutes } from '../store/route-rows.ts';
import type { Script } from '../store/script.ts';
import { findExchangingWorker, findWorker, replaceProcess } from '../store/worker-rows.ts';
import { findWorkflow } from '../store/workflow-rows.ts';
import { repeatClaim } from './claim-facts.ts';
import { openQuestion } from './open-question.ts';
import { workerRecord } from './records.ts';

/** Another process goes on as the worker, with a fresh lease on all that it holds. */
export function* resumeWorker(
  workerId: number,
  identity: WorkerIdentity,
  now: number,
  leaseMs: number,
): Script<ResumedWorker> {
  yield* lockWorker(workerId);
  const worker = yield* findExchangingWorker(workerId);
  if (worker === undefined) throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  if (worker.retired_at !== null) throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  yield* lockHeldWorkflows([workerId]);
  yield* replaceProcess(workerId, identity, now + leaseMs);
  const held: HeldAttempt[] = [];
  for (const live of yield* listHeldAttempts(workerId)) {
    const workflow = (yield* findWorkflow(live.workflow_id))!;
    const observed = live.observed === null ? null : (JSON.parse(live.observed) as FinishReport);
    held.push({
      claim: yield* repeatClaim(workflow, yield* getJob(live.job_id), live.id),
      started_at_ms: live.started_at,
      observed,
      question: observed === null ? null : yield* questionAbout(live, observed),
    });
  }
  // Code of routes is asked again, of whoever comes next.
  yield* releaseHeldRoutes(workerId);
  return {
    worker: workerRecord((yield* findWorker(workerId))!, true),
    // One more than was sent: what the dead process sent last, and arrives only now, is out of date.
    seq: worker.last_seq + 1,
    held,
    recoveries: (yield* listHeldRecoveries(workerId)).map(({ token }) => token),
    actions: (yield* listHeldActions(workerId)).map(({ action_id }) => action_id),
  };
}

function* questionAbout(live: LiveAttempt, observed: FinishReport): Script<HeldAttempt['question']> {
  const question = yield* openQuestion({ ...live, observed: null }, observed);
  return question === 'repeated' ? null : question;
}
