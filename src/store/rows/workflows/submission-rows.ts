import { first, lock, run, type Script } from '../../script.ts';

interface SubmissionRow {
  digest: string;
  workflow_id: number;
  owned_by: string;
}

/** What was submitted under a key. Whoever else comes with the key waits until this transaction has ended. */
export function* findSubmission(key: string): Script<SubmissionRow | undefined> {
  yield* lock('select pg_advisory_xact_lock(hashtext(?))', key);
  return yield* first<SubmissionRow>(
    `select submission.digest, submission.workflow_id, workflow.owned_by from submission
     join workflow on workflow.id = submission.workflow_id where idempotency_key = ?`,
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
