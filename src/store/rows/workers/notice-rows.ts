import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script } from '../../script.ts';
import { ERRANDS_TO_CANCEL } from '../errands/errand-rows.ts';

/** Something that concerns a worker: its attempt or errand `id`, or itself. */
interface NoticeRow {
  worker_id: number;
  what: 'cancel' | 'stop' | 'errand' | 'drain' | 'follow';
  id: number;
}

/**
 * What concerns workers: jobs of theirs are to be canceled, they are to leave, or a client reads a log that they
 * have.
 */
export function* listNotices(now: number): Script<NoticeRow[]> {
  return yield* all<NoticeRow>(
    `select attempt.worker_id, 'cancel' as what, attempt.id from job
       join attempt on attempt.job_id = job.id and attempt.finished_at is null where job.ending is not null
     union all select attempt.worker_id, 'stop', attempt.id from workflow
       join attempt on attempt.workflow_id = workflow.id and attempt.finished_at is null where workflow.stopping = 1
     union all select canceled.worker_id, 'errand', canceled.id from (${ERRANDS_TO_CANCEL}) as canceled
     union all select id, 'drain', 0 from worker where retired_at is null and draining = 1
     union all select attempt.worker_id, 'follow', attempt.id from log_reader
       join attempt on attempt.id = log_reader.token where log_reader.until > ? and attempt.finished_at is null
     order by 1, 2, 3`,
    now,
  );
}

/** Where the workers are and what they are for; labels in JSON. */
export function* listPlaces(
  ids: readonly number[],
): Script<{ worker_id: number; site: string; labels: string }[]> {
  const rows: { worker_id: number; site: string; labels: string }[] = [];
  for (const list of idLists(ids)) {
    rows.push(
      ...(yield* all<{ worker_id: number; site: string; labels: string }>(
        `select id as worker_id, site, labels from worker where id in ${placeholders(list.length)}`,
        ...list,
      )),
    );
  }
  return rows;
}
