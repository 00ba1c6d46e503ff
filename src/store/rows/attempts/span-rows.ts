import { all, placeholders, type Script } from '../../script.ts';
import type { AttemptRow } from './attempt-rows.ts';

/** An attempt, as much of it as its place in time needs. */
export interface SpanRow
  extends Pick<
    AttemptRow,
    | 'job_id'
    | 'run_id'
    | 'attempt_id'
    | 'claimed_at'
    | 'started_at'
    | 'finished_at'
    | 'outcome'
    | 'cause'
    | 'category'
    | 'verdict'
    | 'evaluations'
  > {
  recovery_from: number | null;
  recovery_to: number | null;
}

/** The newest attempts of these jobs in each run from `firstRun` on, oldest first. */
export function* listSpans(
  jobIds: readonly number[],
  firstRun: number,
  ofEachRun: number,
): Script<SpanRow[]> {
  return yield* all<SpanRow>(
    `select newest.job_id, newest.run_id, newest.attempt_id, newest.claimed_at, newest.started_at, newest.finished_at,
       newest.outcome, newest.cause, newest.category, newest.verdict, newest.evaluations,
       coalesce(errand.started_at, errand.ordered_at) as recovery_from, errand.finished_at as recovery_to
     from (select attempt.*, row_number() over (partition by job_id, run_id order by attempt_id desc) as age
       from attempt where job_id in ${placeholders(jobIds.length)} and run_id >= ?) newest
     left join errand on errand.token = newest.id and errand.kind = 'recovery'
     where newest.age <= ? order by newest.job_id, newest.run_id, newest.attempt_id`,
    ...jobIds,
    firstRun,
    ofEachRun,
  );
}

export interface ReadinessRow {
  job_id: number;
  run_created_at: number;
  dependency_set_id: number | null;
}

/** What decides since when these jobs could run. */
export function* listReadiness(jobIds: readonly number[], runId: number): Script<ReadinessRow[]> {
  return yield* all<ReadinessRow>(
    `select job.id as job_id, run.created_at as run_created_at, job.dependency_set_id
     from job join run on run.workflow_id = job.workflow_id and run.run_id = ?
     where job.id in ${placeholders(jobIds.length)}`,
    runId,
    ...jobIds,
  );
}
