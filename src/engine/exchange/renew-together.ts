import type { Exchange } from '../../contract/records/exchange.ts';
import { lockWorkers } from '../../store/lock-rows.ts';
import { type Renewal, renewLeases } from '../../store/rows/workers/renewal-rows.ts';
import { type ExchangingWorker, findExchangingWorkers } from '../../store/rows/workers/worker-rows.ts';
import { hasWaitingErrands } from '../../store/rows/workflows/waiting-work-rows.ts';
import { type Script, together } from '../../store/script.ts';
import { findActions } from '../wake/find-news.ts';
import {
  addWords,
  type Exchanged,
  emptyResult,
  ended,
  missesExchanges,
  type SentExchange,
  stored,
} from './exchange.ts';
import type { ExchangePart } from './exchange-part.ts';

/** Whether the exchange reports nothing and asks for no job: most exchanges of workers with long jobs. */
export function mayOnlyRenew(request: Exchange): boolean {
  const { started, finished, errands, capacity, leaving, workflow_id, seq } = request;
  const hasReports = started.length + finished.length + errands.length > 0;
  const hasRoom = capacity !== null && capacity.slots > 0;
  return seq !== undefined && workflow_id === undefined && leaving !== true && !hasReports && !hasRoom;
}

/**
 * Renews the leases of workers that have no room, without a look at the workflows. null, and nothing is changed, for those
 * that need a whole exchange: one that was made before, one that is refused, or one that has an errand to do.
 */
export function* renewTogether(sent: readonly SentExchange[], now: number): Script<(Exchanged | null)[]> {
  const ids = sent.map(({ workerId }) => workerId);
  yield* lockWorkers(ids);
  const [workers, hasErrands, actions] = yield* together(
    findExchangingWorkers(ids),
    hasWaitingErrands(now),
    findActions(),
  );
  const owing = new Set(actions.owed.map(({ worker_id }) => worker_id));
  const isWhole = ({ workerId, request }: SentExchange, worker: ExchangingWorker) => {
    const takesErrands = request.capacity !== null && worker.draining === 0;
    return takesErrands && (hasErrands || actions.forAny || owing.has(workerId));
  };
  const parts = sent.map((each): ExchangePart | null => {
    const worker = workers.get(each.workerId);
    const isRefused =
      worker === undefined || worker.retired_at !== null || missesExchanges(worker, each.request.seq);
    if (isRefused || each.request.seq! <= worker.last_seq || isWhole(each, worker)) return null;
    const result = emptyResult(now, worker.lease_ms, worker.draining === 1);
    return { worker, request: each.request, result, changed: false, contended: false };
  });
  const renewed = parts.filter((part) => part !== null);
  if (renewed.length === 0) return parts.map(() => null);
  yield* addWords(renewed, now);
  yield* renewLeases(renewed.map((part) => renewalOf(part, now)));
  return parts.map((part) => (part === null ? null : ended(part)));
}

function renewalOf(part: ExchangePart, now: number): Renewal {
  const { worker, request } = part;
  return {
    workerId: worker.id,
    seq: request.seq!,
    answer: stored(ended(part)),
    expiresAt: now + worker.lease_ms,
  };
}
