import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script } from '../../script.ts';

/** An attempt that was closed as lost. */
export interface LostAttempt {
  id: number;
  workflow_id: number;
  job_id: number;
  run_id: number;
  visit: number;
  attempt_id: number;
  caller: string | null;
  claimed_at: number;
}

/** Those of the attempts that the worker held and that were closed as lost, in the order of their tokens. */
export function* listLostAttempts(workerId: number, tokens: readonly number[]): Script<LostAttempt[]> {
  const found: LostAttempt[] = [];
  for (const list of idLists(tokens)) {
    const rows = yield* all<LostAttempt>(
      `select id, workflow_id, job_id, run_id, visit, attempt_id, caller, claimed_at from attempt
       where id in ${placeholders(list.length)} and worker_id = ? and cause = 'lost' and finished_at is not null
       order by id`,
      ...list,
      workerId,
    );
    found.push(...rows);
  }
  return found;
}
