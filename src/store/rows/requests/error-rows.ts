import type { PostResult } from '../../../core/job/post-result.ts';
import { all, type Script } from '../../script.ts';

/** The last attempt of a job that failed in a run of a round. */
export interface FinalFailureRow {
  token: number;
  job_id: number;
  name: string;
  unit: number | null;
  attempt_id: number;
  run_id: number;
  cause: string | null;
  match_code: number | null;
  category: string | null;
  reason: string | null;
  fingerprint: string | null;
  post: string | null;
  site: string;
}

/** Attempts of the run with which their jobs failed for good, in the order of their ids, above `after`. */
export function* listFinalFailures(
  workflowId: number,
  runId: number,
  after: number,
  limit: number,
): Script<FinalFailureRow[]> {
  return yield* all<FinalFailureRow>(
    `select attempt.id as token, job.id as job_id, job.name, attempt.attempt_id, attempt.run_id, attempt.cause,
       attempt.match_code, attempt.category, attempt.reason, attempt.fingerprint, attempt.post, worker.site,
       (select min(unit.number) from dependency_member join unit on unit.set_id = dependency_member.set_id
        where dependency_member.job_id = job.id) as unit
     from attempt join job on job.id = attempt.job_id join worker on worker.id = attempt.worker_id
     where attempt.workflow_id = ? and attempt.run_id = ? and attempt.id > ? and attempt.counts_as is not null
       and attempt.verdict in ('fail', 'abort') order by attempt.id limit ?`,
    workflowId,
    runId,
    after,
    limit,
  );
}

const AT_ONCE = 500;

/** Paths that post steps named as bad, of jobs that failed for good in the run. */
export function* listBadInputs(workflowId: number, runId: number): Script<string[]> {
  const bad = new Set<string>();
  for (let after = 0; ; ) {
    const rows = yield* listFinalFailures(workflowId, runId, after, AT_ONCE);
    for (const { post, token } of rows) {
      after = token;
      if (post === null) continue;
      for (const path of (JSON.parse(post) as PostResult).bad_inputs) bad.add(path);
    }
    if (rows.length < AT_ONCE) return [...bad];
  }
}

/** Attempts of a round by site, in all its runs; lost, stopped and canceled ones are not counted. */
export function* countSiteOutcomes(
  workflowId: number,
): Script<{ site: string; total: number; failed: number }[]> {
  const rows = yield* all<{ site: string; total: number; failed: number }>(
    `select worker.site, count(*) as total, sum(case when attempt.counts_as = 'failure' then 1 else 0 end) as failed
     from attempt join worker on worker.id = attempt.worker_id
     where attempt.workflow_id = ? and attempt.finished_at is not null
       and (attempt.cause is null or attempt.cause not in ('lost', 'stopped', 'canceled'))
     group by worker.site order by worker.site`,
    workflowId,
  );
  return rows.map(({ site, total, failed }) => ({ site, total, failed: Number(failed) }));
}
