import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script } from '../../script.ts';

/** Tokens of attempts that a worker is to end. */
export interface TokensToEnd {
  /** Their job was canceled, or is to be retried. */
  cancel: number[];
  /** Their workflow was stopped. */
  stop: number[];
}

/** By the workers that hold them. */
export function* listTokensToEnd(workerIds: readonly number[]): Script<Map<number, TokensToEnd>> {
  const tokens = new Map<number, TokensToEnd>();
  for (const list of idLists(workerIds)) {
    const workers = placeholders(list.length);
    // Most of the time nothing is being stopped; then the second part looks at no attempt.
    const rows = yield* all<{ id: number; worker_id: number; how: keyof TokensToEnd }>(
      `select attempt.id, attempt.worker_id, 'cancel' as how from job
       join attempt on attempt.job_id = job.id and attempt.finished_at is null
       where job.ending is not null and attempt.worker_id in ${workers}
       union all select id, worker_id, 'stop' from attempt
       where exists (select 1 from workflow where stopping = 1) and finished_at is null
         and worker_id in ${workers} and workflow_id in (select id from workflow where stopping = 1)
       order by id`,
      ...list,
      ...list,
    );
    for (const { id, worker_id, how } of rows) {
      const known = tokens.get(worker_id) ?? { cancel: [], stop: [] };
      tokens.set(worker_id, known);
      known[how].push(id);
    }
  }
  return tokens;
}
