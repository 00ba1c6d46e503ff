import type { Exchange, ExchangeResult } from '../../contract/records/exchange.ts';
import { HoldfastError } from '../../core/errors.ts';
import { storedConfig, wholeConfig } from '../../core/model/config-text.ts';
import { heardAt } from '../../core/worker/worker-silence.ts';
import { lockWorker, lockWorkers } from '../../store/lock-rows.ts';
import { listTokensToEnd } from '../../store/rows/attempts/tokens-to-end.ts';
import { listErrandsToCancel } from '../../store/rows/errands/errand-rows.ts';
import { listFollowed } from '../../store/rows/logs/log-rows.ts';
import {
  type ExchangingWorker,
  findAnswer,
  findExchangingWorker,
  findExchangingWorkers,
  keepAnswers,
  renewLease,
} from '../../store/rows/workers/worker-rows.ts';
import { currentTime, type Script, together } from '../../store/script.ts';
import { acceptReports, readReported } from './accept-reports.ts';
import type { ExchangePart } from './exchange-part.ts';
import { takeWork } from './take-work.ts';
import { withoutSkew } from './without-skew.ts';

/** A lease is renewed by the first exchange after this time, or after this part of it if that is shorter. */
const RENEW_AFTER_MS = 9_000;
const RENEW_AFTER_PART = 0.3;
/** Of a worker in an allocation: if the allocation ends, its silence is measured in seconds. */
const RENEW_ALLOCATED_AFTER_MS = 2_000;

export interface SentExchange {
  workerId: number;
  request: Exchange;
}

export type Exchanged = ExchangeResult & Pick<ExchangePart, 'changed' | 'contended'>;

/** A refusal changes nothing, and is none of the others' business. */
export type SettledExchange = { done: Exchanged } | { refused: HoldfastError };

/**
 * Reports and claims in one transaction, of as many workers as there are: first everything that is reported, then
 * everything that is claimed. Each worker is there once; one that drives a run of its own is alone. A report about an
 * attempt that has ended, or that its worker never held, changes nothing and is named in `rejected`. The newest
 * exchange of a worker is answered again as it was.
 */
export function* exchangeTogether(sent: readonly SentExchange[]): Script<SettledExchange[]> {
  const ids = sent.map(({ workerId }) => workerId);
  yield* lockWorkers(ids);
  // The time is taken under the locks, as are those of claims.
  const [workers, reported, now] = yield* together(
    findExchangingWorkers(ids),
    readReported(sent),
    currentTime(),
  );
  const begun: (SettledExchange | ExchangePart)[] = [];
  for (const each of sent) begun.push(yield* begin(each, workers.get(each.workerId), now));
  const parts = begun.filter((each) => 'worker' in each);
  yield* acceptReports(parts, reported, now);
  yield* together(takeWork(parts), addWords(parts, now));
  yield* keep(parts);
  return begun.map((each) => ('worker' in each ? { done: ended(each) } : each));
}

/**
 * Another look for work, after one that found others at it. The answer is the whole of both; it is the first one alone
 * if that has been given away meanwhile, because the same exchange was sent again.
 */
export function* exchangeAgain({ workerId, request }: SentExchange, first: Exchanged): Script<Exchanged> {
  yield* lockWorker(workerId);
  const worker = yield* findExchangingWorker(workerId);
  const { seq } = request;
  const isAnswered =
    seq !== undefined && (worker?.last_seq !== seq || (yield* readAnswer(workerId))?.contended !== true);
  if (worker === undefined || worker.retired_at !== null || isAnswered) return { ...first, contended: false };
  const { changed, contended: _, ...before } = first;
  // Copies: the script may be run again from its beginning, and nothing of the run before may be left in the lists.
  const result = { ...before, claims: [...before.claims], errands: [...before.errands] };
  const part = { worker, request, result, changed, contended: false };
  yield* takeWork([part], 'wait');
  yield* keep([part]);
  return ended(part);
}

function* begin(
  { workerId, request }: SentExchange,
  worker: ExchangingWorker | undefined,
  now: number,
): Script<SettledExchange | ExchangePart> {
  if (worker === undefined) return refusal('WORKER_NOT_FOUND', { id: workerId });
  if (worker.retired_at !== null) return refusal('WORKER_RETIRED', { worker: workerId });
  const { seq } = request;
  if (seq !== undefined && seq <= worker.last_seq) {
    const answer = seq < worker.last_seq ? null : yield* readAnswer(workerId);
    if (answer === null) return refusal('STALE_EXCHANGE', { worker: workerId, seq, newest: worker.last_seq });
    const done = { ...answer, contended: false };
    // Whoever was about to look again finds that this has been answered, and leaves it at that.
    if (answer.contended) yield* keepAnswers([{ workerId, seq, answer: stored(done) }]);
    return { done };
  }
  if (missesExchanges(worker, seq)) {
    return refusal('DATABASE_RESTORED', { worker: workerId, made: seq! - 1, newest: worker.last_seq });
  }
  return {
    worker,
    request: withoutSkew(request, now),
    result: emptyResult(now, yield* renewed(worker, now), worker.draining === 1),
    changed: false,
    contended: false,
  };
}

/**
 * Numbers rise by one. A worker that is ahead knows answers of a database that is gone: the attempts that it runs and those
 * that it would be given now may have the same tokens.
 */
export function missesExchanges({ last_seq: newest }: ExchangingWorker, seq: number | undefined): boolean {
  return seq !== undefined && seq > newest + 1;
}

function refusal(...reason: ConstructorParameters<typeof HoldfastError>): SettledExchange {
  return { refused: new HoldfastError(...reason) };
}

export function emptyResult(now: number, leaseMs: number, drain: boolean): ExchangeResult {
  return {
    claims: [],
    rejected: [],
    cancel: [],
    stop: [],
    errands: [],
    cancel_errands: [],
    at_ms: now,
    next_due_at_ms: null,
    lease_ms: leaseMs,
    drain,
    follow: [],
  };
}

/** Not with every exchange: one that changes nothing else then costs no commit. Returns what is left of the lease. */
function* renewed(worker: ExchangingWorker, now: number): Script<number> {
  const { id, lease_ms: leaseMs, lease_expires_at: expiresAt, allocation_id } = worker;
  const renewAfter = allocation_id === null ? RENEW_AFTER_MS : RENEW_ALLOCATED_AFTER_MS;
  const silence = now - heardAt(worker);
  // Below 0: the clock was set back. The rest would be longer than a lease, and launchers would believe it.
  if (silence >= 0 && silence < Math.min(renewAfter, leaseMs * RENEW_AFTER_PART)) return expiresAt - now;
  yield* renewLease(id, now + leaseMs);
  return leaseMs;
}

/** What there is to say to workers besides: which attempts to end, and which logs are being read. */
export function* addWords(parts: readonly ExchangePart[], now: number): Script<void> {
  const far = parts.filter(({ worker, request }) => worker.kind === 'service' || request.seq !== undefined);
  const [toEnd, errands, follow] = yield* together(
    listTokensToEnd(idsOf(parts)),
    listErrandsToCancel(idsOf(parts)),
    listFollowed(idsOf(far), now),
  );
  for (const { worker, result } of parts) {
    Object.assign(result, toEnd.get(worker.id));
    result.cancel_errands = errands.get(worker.id) ?? [];
    result.follow = follow.get(worker.id) ?? [];
  }
}

function idsOf(parts: readonly ExchangePart[]): number[] {
  return parts.map(({ worker }) => worker.id);
}

export function ended({ result, changed, contended }: ExchangePart): Exchanged {
  return { ...result, changed, contended };
}

/** So that they can be given again. */
function* keep(parts: readonly ExchangePart[]): Script<void> {
  yield* keepAnswers(
    parts.flatMap((part) => {
      const { seq } = part.request;
      return seq === undefined ? [] : { workerId: part.worker.id, seq, answer: stored(ended(part)) };
    }),
  );
}

/** Configurations without defaults, which are two thirds of the text of a claim. */
export function stored({ changed: _, ...answer }: Exchanged): string {
  const claims = answer.claims.map((claim) => ({ ...claim, config: storedConfig(claim.config) }));
  return JSON.stringify({ ...answer, claims });
}

function* readAnswer(workerId: number): Script<Exchanged | null> {
  const text = yield* findAnswer(workerId);
  if (text === null) return null;
  const answer = JSON.parse(text) as Exchanged;
  const claims = answer.claims.map((claim) => ({ ...claim, config: wholeConfig(claim.config) }));
  return { ...answer, claims, changed: false };
}
