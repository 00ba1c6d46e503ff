import type { AllocationEnd, AllocationView } from '../../contract/cluster.ts';
import { MOST_MISSES } from '../../core/allocation/back-off.ts';
import {
  type AllocationRow,
  findAllocation,
  moveAllocation,
} from '../../store/rows/allocations/allocation-rows.ts';
import {
  clearRefusals,
  getScheduler,
  noteMiss,
  pauseScheduler,
} from '../../store/rows/allocations/scheduler-rows.ts';
import type { Script } from '../../store/script.ts';
import { dropPlanned } from './carry-out.ts';
import { nameOfAllocation, recordAllocation } from './record-allocation.ts';

/** A submission that nobody has seen the result of can be under way no longer than this. */
export const SUBMITTING_MS = 40_000;
/** An allocation that is being requeued may be on no list for a while. */
const REQUEUING_MS = 120_000;

/** What the cluster says of one allocation. Its workflow is locked; `before` is its row when the cluster was asked. */
export function* applyView(before: AllocationRow, view: AllocationView, now: number): Script<boolean> {
  const row = (yield* findAllocation(before.id))!;
  if (row.state === 'ended' || row.state === 'planned') return false;
  const facts = {
    cluster_id: view.id,
    word: view.word,
    why: view.why,
    never: view.never ? 1 : 0,
    starts_at: view.startsAt,
    ends_at: view.endsAt,
    missing_since: null,
  };
  if (row.state === 'submitting') {
    yield* clearRefusals(row.scheduler_id);
    yield* moveAllocation(row, 'queued', { ...facts, submitted_at: row.submitting_at });
    const found = { ...row, ...facts, state: 'queued' as const };
    const reason = 'found at the cluster by its tag';
    yield* recordAllocation(found, { type: 'allocation_submitted', reason }, row.run_id, now);
    if (view.state === 'running') yield* begin(found, facts, now);
    else yield* recordWait(found, { ...row, why: null, never: 0 }, now);
    return true;
  }
  if (view.state === 'running' && row.state === 'queued') {
    yield* begin(row, facts, now);
    return true;
  }
  // Its worker may have registered after the cluster was asked.
  if (view.state === 'queued' && row.state === 'running' && before.state === 'running') {
    if (before.restarts === row.restarts) yield* requeue(row, facts, now);
    return true;
  }
  const changed = Object.entries(facts).some(([key, value]) => row[key as keyof typeof facts] !== value);
  if (changed) yield* moveAllocation(row, row.state, facts);
  if (row.state === 'queued') yield* recordWait({ ...row, ...facts }, row, now);
  return changed;
}

type Facts = Parameters<typeof moveAllocation>[2];

function* begin(row: AllocationRow, facts: Facts & { starts_at: number | null }, now: number): Script<void> {
  yield* moveAllocation(row, 'running', { ...facts, started_at: facts.starts_at ?? now });
  yield* recordAllocation(row, { type: 'allocation_started', reason: null }, row.run_id, now);
}

function* requeue(row: AllocationRow, facts: Facts, now: number): Script<void> {
  yield* moveAllocation(row, 'queued', {
    ...facts,
    started_at: null,
    workers_came: 0,
    restarts: row.restarts + 1,
  });
  const reason = facts?.why ?? null;
  yield* recordAllocation(row, { type: 'allocation_requeued', reason }, row.run_id, now);
}

/** Why it waits, when that is new. */
function* recordWait(
  row: AllocationRow,
  before: Pick<AllocationRow, 'why' | 'never'>,
  now: number,
): Script<void> {
  if (row.why === null || (row.why === before.why && row.never === before.never)) return;
  const reason =
    row.never === 1 ? `${row.word}: ${row.why}, which will not pass by itself` : `${row.word}: ${row.why}`;
  const data = { never: row.never === 1, starts_at_ms: row.starts_at };
  yield* recordAllocation(row, { type: 'allocation_waiting', reason, data }, row.run_id, now);
}

/** The cluster does not list it. `askedAt`: when it was asked. `output`: last lines that the allocation wrote. */
export function* applyAbsence(
  before: AllocationRow,
  { end, output, askedAt }: { end: AllocationEnd | undefined; output: string; askedAt: number },
  now: number,
): Script<boolean> {
  const row = (yield* findAllocation(before.id))!;
  if (row.state !== before.state || row.cluster_id !== before.cluster_id) return false;
  if (row.state === 'submitting') return yield* leaveUnsubmitted(row, before, askedAt, now);
  if (row.state !== 'queued' && row.state !== 'running') return false;
  if (end === 'requeued' && askedAt - (row.missing_since ?? askedAt) < REQUEUING_MS) {
    yield* moveAllocation(row, row.state, { missing_since: row.missing_since ?? askedAt });
    return false;
  }
  yield* endAllocation(row, end ?? 'unknown', output, now);
  return true;
}

/** The cluster has never heard of it, and no submission can be under way any more: it is submitted again. */
function* leaveUnsubmitted(
  row: AllocationRow,
  before: AllocationRow,
  askedAt: number,
  now: number,
): Script<boolean> {
  if (row.submitting_at !== before.submitting_at || askedAt < row.submitting_at! + SUBMITTING_MS)
    return false;
  yield* moveAllocation(row, 'planned');
  if (row.cancel_at !== null) yield* dropPlanned({ ...row, state: 'planned' }, now);
  return true;
}

function* endAllocation(row: AllocationRow, end: AllocationEnd, output: string, now: number): Script<void> {
  yield* moveAllocation(row, 'ended', { ended_at: now, ending: end, never: 0 });
  const isMiss = row.ever_came === 0 && row.cancel_at === null;
  const reason = isMiss ? `${end}, before its worker came` : (row.cancel_reason ?? end);
  const data = { end, ...(isMiss && output !== '' && { output }) };
  yield* recordAllocation(row, { type: 'allocation_ended', reason, data }, row.run_id, now);
  if (!isMiss) return;
  const scheduler = yield* getScheduler(row.scheduler_id);
  const misses = scheduler.misses + 1;
  yield* noteMiss(scheduler.id, misses);
  if (misses < MOST_MISSES || scheduler.paused_at !== null) return;
  const wrote = output === '' ? 'it wrote nothing' : `it wrote:\n${output}`;
  const why = `${misses} allocations in a row ended without their worker; the last was ${nameOfAllocation(row)} (${end}), ${wrote}`;
  yield* pauseScheduler(scheduler.id, why, now);
  yield* recordAllocation(row, { type: 'scheduler_paused', reason: why }, row.run_id, now);
}
