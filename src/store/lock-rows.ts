import { all, lock, placeholders, type Script } from './script.ts';

/**
 * Writers take turns per workflow and per worker. Every script that changes something of a workflow locks it before it
 * reads what it decides by; what was read before the lock may be stale by then. Workers are locked before workflows,
 * each in the order of their ids, so that locks cannot deadlock. SQLite has one writer at a
 * time and skips all of this.
 *
 * `no key update` excludes other writers of the row, but not those who insert rows that merely refer to it.
 */
export const EXCLUSIVE = 'for no key update';

/** Until the end of the transaction, nobody else changes anything of the workflow. */
export function* lockWorkflow(id: number): Script<void> {
  yield* lock(`select id from workflow where id = ? ${EXCLUSIVE}`, id);
}

/** Several at once, in the order of their ids. */
export function* lockWorkflows(ids: Iterable<number>): Script<void> {
  const sorted = inOrder(ids);
  if (sorted.length === 0) return;
  yield* lock(
    `select id from workflow where id in ${placeholders(sorted.length)} order by id ${EXCLUSIVE}`,
    ...sorted,
  );
}

/** Until the end of the transaction, nobody else changes the worker or anything that it holds. */
export function* lockWorker(id: number): Script<void> {
  yield* lock(`select id from worker where id = ? ${EXCLUSIVE}`, id);
}

/** Several at once, in the order of their ids. */
export function* lockWorkers(ids: Iterable<number>): Script<void> {
  const sorted = inOrder(ids);
  if (sorted.length === 0) return;
  yield* lock(
    `select id from worker where id in ${placeholders(sorted.length)} order by id ${EXCLUSIVE}`,
    ...sorted,
  );
}

/** What workers have been given: attempts and errands. */
const heldBy = (
  workers: string,
) => `select workflow_id from attempt where worker_id in ${workers} and finished_at is null
  union select workflow_id from errand where worker_id in ${workers} and finished_at is null`;

/** Every workflow that reports of the workers, or their end, can change. The workers themselves are locked before. */
export function* lockHeldWorkflows(workers: Iterable<number>): Script<void> {
  const sorted = inOrder(workers);
  if (sorted.length === 0) return;
  yield* lock(
    `select id from workflow where id in (${heldBy(placeholders(sorted.length))}) order by id ${EXCLUSIVE}`,
    ...sorted,
    ...sorted,
  );
}

/** The workflows of `lockHeldWorkflows`, for those who have more to lock in the same breath. */
export function* listHeldWorkflows(workerId: number): Script<number[]> {
  const rows = yield* all<{ workflow_id: number }>(
    `select workflow_id from (${heldBy('(?)')}) as held order by workflow_id`,
    workerId,
    workerId,
  );
  return rows.map((row) => row.workflow_id);
}

/** Until the end of the transaction, nobody else submits anything under the key. */
export function* lockKey(key: string): Script<void> {
  yield* lock('select pg_advisory_xact_lock(hashtextextended(?, 0))', key);
}

function inOrder(ids: Iterable<number>): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}
