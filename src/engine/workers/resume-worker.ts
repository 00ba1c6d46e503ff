import type { HeldErrand } from '../../contract/records/errand.ts';
import type {
  FinishReport,
  HeldAttempt,
  ResumedWorker,
  WorkerIdentity,
} from '../../contract/records/exchange.ts';
import { HoldfastError } from '../../core/errors.ts';
import { LEASE_MS } from '../../core/worker/lease.ts';
import { isSecretOf } from '../../host/secret.ts';
import { lockHeldWorkflows, lockWorker } from '../../store/lock-rows.ts';
import { findObservedAttempt, listHeldAttempts } from '../../store/rows/attempts/live-attempt-rows.ts';
import { finishErrand, listHeldErrands, releaseEvaluations } from '../../store/rows/errands/errand-rows.ts';
import { getJob } from '../../store/rows/jobs/job-rows.ts';
import {
  findExchangingWorker,
  findSecretHash,
  findWorker,
  replaceProcess,
} from '../../store/rows/workers/worker-rows.ts';
import { findWorkflow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { repeatClaim } from '../claim/claim-facts.ts';
import { type AttemptEnding, endAttempts } from '../decide/end-attempts.ts';
import type { ObservedEnd } from '../decide/end-report.ts';
import { openQuestion } from '../errands/open-question.ts';
import { orderPost } from '../errands/order-post.ts';
import { workerRecord } from '../records/records.ts';

/** Another process continues as the worker, with a fresh lease on all that it holds. */
export function* resumeWorker(
  { id: workerId, secret }: { id: number; secret: string },
  identity: WorkerIdentity,
  now: number,
): Script<ResumedWorker> {
  yield* lockWorker(workerId);
  const worker = yield* findExchangingWorker(workerId);
  if (worker === undefined) throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  if (!isSecretOf((yield* findSecretHash(workerId)) ?? '', secret)) {
    throw new HoldfastError('NOT_THAT_WORKER', { worker: workerId });
  }
  if (worker.retired_at !== null) throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  yield* lockHeldWorkflows([workerId]);
  yield* replaceProcess(workerId, identity, now, identity.lease_ms ?? LEASE_MS);
  const errands = yield* resumeErrands(workerId, now);
  const held: HeldAttempt[] = [];
  for (const live of yield* listHeldAttempts(workerId)) {
    const workflow = (yield* findWorkflow(live.workflow_id))!;
    held.push({
      claim: yield* repeatClaim(workflow, yield* getJob(live.job_id), live.id),
      started_at_ms: live.started_at,
      observed: live.observed === null ? null : reportIn(live.observed),
    });
  }
  return {
    worker: workerRecord((yield* findWorker(workerId))!, true, now),
    // One more than was sent: what the dead process sent last, and arrives only now, is out of date.
    seq: worker.last_seq + 1,
    held,
    errands,
  };
}

/**
 * What the worker holds besides attempts. Code that any worker may evaluate is left to the next one that asks. An attempt
 * that needs none of this any more, because it was canceled meanwhile, is decided.
 */
function* resumeErrands(workerId: number, now: number): Script<HeldErrand[]> {
  yield* releaseEvaluations(workerId);
  const errands: HeldErrand[] = [];
  const endings: AttemptEnding[] = [];
  for (const { id, kind, token } of yield* listHeldErrands(workerId)) {
    if (kind === 'recovery' || kind === 'action' || kind === 'outputs') {
      errands.push({ kind, id });
      continue;
    }
    const live = (yield* findObservedAttempt(token!))!;
    const observed = JSON.parse(live.observed!) as ObservedEnd;
    const step = yield* openQuestion(live, observed);
    if (step.kind === 'decide') {
      yield* finishErrand(id, { canceled: true }, now);
      endings.push({ live, report: observed, reporter: null, judged: step.judged });
    } else if (step.kind === 'post') errands.push(yield* orderPost(id, live));
    else errands.push({ kind: 'evaluation', id, token: live.id, ...step.question });
  }
  yield* endAttempts(endings, now);
  return errands;
}

/** As the worker reported it. */
function reportIn(observed: string): FinishReport {
  const { post: _, ...report } = JSON.parse(observed) as ObservedEnd;
  return report;
}
