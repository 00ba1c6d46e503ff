import { HoldfastError } from '../core/errors.ts';
import type { Exchange, ExchangeResult, StartReport } from '../core/exchange.ts';
import {
  findLiveAttempts,
  listTokensToCancel,
  observeAttempt,
  startAttempts,
} from '../store/attempt-rows.ts';
import { toRunning } from '../store/job-rows.ts';
import { lockHeldWorkflows, lockWorker } from '../store/lock-rows.ts';
import { listFollowed } from '../store/log-rows.ts';
import { listHeldRecoveries } from '../store/recovery-rows.ts';
import { type Script, together } from '../store/script.ts';
import {
  type ExchangingWorker,
  findAnswer,
  findExchangingWorker,
  keepAnswer,
  renewLease,
} from '../store/worker-rows.ts';
import { endActions } from './due-actions.ts';
import { type AttemptEnding, endAttempts } from './end-attempts.ts';
import { endRecovery } from './end-recovery.ts';
import { acceptEvaluation, openQuestion } from './open-question.ts';
import { takeWork } from './take-work.ts';
import { withoutSkew } from './without-skew.ts';

/** A lease is renewed when less than this part of it is left. */
const RENEW_BELOW = 0.7;

export interface Exchanged extends ExchangeResult {
  /** Something was committed that others may want to know. */
  changed: boolean;
  /** Nothing was claimed though somebody else was at work where there may be something: worth another look. */
  contended: boolean;
}

/**
 * A worker's reports and claims in one transaction. A report about an attempt that has ended, or that this
 * worker never held, changes nothing and is named in `rejected`. The newest exchange is answered again as it was.
 */
export function* exchange(workerId: number, sent: Exchange, now: number, leaseMs: number): Script<Exchanged> {
  yield* lockWorker(workerId);
  const worker = yield* findExchangingWorker(workerId);
  if (worker === undefined) throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  if (worker.retired_at !== null) throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  const { seq } = sent;
  if (seq !== undefined && seq <= worker.last_seq) {
    const answer = seq < worker.last_seq ? null : yield* readAnswer(workerId);
    if (answer === null) {
      throw new HoldfastError('STALE_EXCHANGE', { worker: workerId, seq, newest: worker.last_seq });
    }
    // Whoever was about to look again finds that this has been answered, and leaves it at that.
    if (answer.contended) yield* keepAnswer(workerId, seq, JSON.stringify({ ...answer, contended: false }));
    return { ...answer, contended: false };
  }
  const request = withoutSkew(sent, now);
  const lease = yield* renewed(worker, now, leaseMs);

  const result = emptyResult(now, lease, worker.draining === 1);
  const reported = yield* acceptReports(worker, request, result, now);
  const taken = yield* takeWork(worker, request, result, now);
  const isFar = worker.kind === 'service' || seq !== undefined;
  const [cancel, follow] = yield* together<number[][]>(
    listTokensToCancel(workerId),
    ...(isFar ? [listFollowed(workerId, now)] : []),
  );
  Object.assign(result, { cancel, follow: follow ?? [] });
  const { contended } = taken;
  if (seq !== undefined) yield* keepAnswer(workerId, seq, JSON.stringify({ ...result, contended }));
  return { ...result, changed: reported + taken.count > 0, contended };
}

function* readAnswer(workerId: number): Script<Exchanged | null> {
  const answer = yield* findAnswer(workerId);
  return answer === null ? null : { ...(JSON.parse(answer) as Exchanged), changed: false };
}

/**
 * Another look for work, after one that found others at it. The answer is the whole of both; it is the first one alone
 * if that has been given away meanwhile, because the same exchange was sent again.
 */
export function* exchangeAgain(
  workerId: number,
  request: Exchange,
  first: Exchanged,
  now: number,
): Script<Exchanged> {
  yield* lockWorker(workerId);
  const worker = yield* findExchangingWorker(workerId);
  const { seq } = request;
  const isAnswered =
    seq !== undefined && (worker?.last_seq !== seq || (yield* readAnswer(workerId))?.contended !== true);
  if (worker === undefined || worker.retired_at !== null || isAnswered) return { ...first, contended: false };
  const { changed, contended: _, ...result } = first;
  const taken = yield* takeWork(worker, request, result, now, 'wait');
  if (seq !== undefined) {
    yield* keepAnswer(workerId, seq, JSON.stringify({ ...result, contended: false }));
  }
  return { ...result, changed: changed || taken.count > 0, contended: false };
}

function emptyResult(now: number, leaseMs: number, drain: boolean): ExchangeResult {
  return {
    claims: [],
    rejected: [],
    cancel: [],
    post: [],
    recover: [],
    act: [],
    evaluate: [],
    at_ms: now,
    next_due_at_ms: null,
    lease_ms: leaseMs,
    drain,
    follow: [],
  };
}

/** Not with every exchange: one that changes nothing else then costs no commit. Returns what is left of the lease. */
function* renewed(worker: ExchangingWorker, now: number, leaseMs: number): Script<number> {
  const left = worker.lease_expires_at - now;
  if (left >= leaseMs * RENEW_BELOW) return left;
  yield* renewLease(worker.id, now + leaseMs);
  return leaseMs;
}

/** Returns how many reports there were that changed something. */
function* acceptReports(
  worker: ExchangingWorker,
  request: Exchange,
  result: ExchangeResult,
  now: number,
): Script<number> {
  const { started, finished, recovered, acted, evaluated } = request;
  const count = started.length + finished.length + recovered.length + acted.length + evaluated.length;
  if (count === 0) return 0;
  yield* lockHeldWorkflows([worker.id]);
  if (started.length > 0) result.rejected.push(...(yield* acceptStarts(worker.id, started)));
  const lives = yield* findLiveAttempts(
    finished.map(({ token }) => token),
    worker.id,
  );
  const endings = new Map<number, AttemptEnding>();
  for (const report of finished) {
    const live = endings.has(report.token) ? undefined : lives.get(report.token);
    const question = live === undefined ? 'repeated' : yield* openQuestion(live, report);
    if (question === 'repeated') result.rejected.push(report.token);
    else if (question === null) endings.set(report.token, { live: live!, report });
    else {
      yield* observeAttempt(live!.id, live!.started_at ?? report.started_at_ms, JSON.stringify(report));
      if (question === 'post') result.post.push(report.token);
      else result.evaluate.push(question);
    }
  }
  for (const { token, evaluations } of evaluated) {
    const answered = yield* acceptEvaluation(worker.id, token, evaluations, now);
    if (answered !== null) endings.set(token, answered);
  }
  result.recover = yield* endAttempts([...endings.values()], now, { workerId: worker.id });
  yield* acceptRecoveries(worker.id, recovered, now);
  yield* endActions(worker.id, acted, now);
  return count;
}

/** A start that was told before is as true as it was. Returns the tokens of those that are not the worker's. */
function* acceptStarts(workerId: number, reports: StartReport[]): Script<number[]> {
  const lives = yield* findLiveAttempts(
    reports.map(({ token }) => token),
    workerId,
  );
  const begun = new Map<number, StartReport>();
  for (const report of reports) {
    if (lives.get(report.token)?.started_at === null && !begun.has(report.token))
      begun.set(report.token, report);
  }
  yield* startAttempts([...begun.values()]);
  yield* toRunning([...begun.keys()].map((token) => lives.get(token)!.job_id));
  return reports.map(({ token }) => token).filter((token) => !lives.has(token));
}

function* acceptRecoveries(workerId: number, reports: Exchange['recovered'], now: number): Script<void> {
  if (reports.length === 0) return;
  const held = new Map((yield* listHeldRecoveries(workerId)).map((recovery) => [recovery.token, recovery]));
  for (const { token, outcome } of reports) {
    const recovery = held.get(token);
    if (recovery !== undefined) yield* endRecovery(recovery, outcome, now);
    held.delete(token);
  }
}
