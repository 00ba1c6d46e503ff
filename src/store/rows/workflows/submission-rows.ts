import { first, lock, run, type Script } from '../../script.ts';

/** What was submitted under a key. Whoever else comes with the key waits until this transaction has ended. */
export function* findSubmission(key: string): Script<{ digest: string; workflow_id: number } | undefined> {
  yield* lock('select pg_advisory_xact_lock(hashtext(?))', key);
  return yield* first<{ digest: string; workflow_id: number }>(
    'select digest, workflow_id from submission where idempotency_key = ?',
    key,
  );
}

export function* insertSubmission(key: string, digest: string, workflowId: number): Script<void> {
  yield* run(
    'insert into submission (idempotency_key, digest, workflow_id) values (?, ?, ?)',
    key,
    digest,
    workflowId,
  );
}
