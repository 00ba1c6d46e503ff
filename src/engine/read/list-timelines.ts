import type { TimelineQuery } from '../../contract/engine.ts';
import type { AttemptSpan, JobTimeline } from '../../contract/records/overview.ts';
import type { Page } from '../../contract/records/records.ts';
import { type Evaluation, failIfProblem } from '../../core/job/evaluation.ts';
import { type Category, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import { listSpans, type SpanRow } from '../../store/rows/attempts/span-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { attemptState } from '../records/records.ts';
import { jobsPage } from './list-records.ts';

const ATTEMPTS_OF_A_RUN = 20;

/** Jobs with the times of their attempts. */
export function* timelinesPage(workflowId: number, query: TimelineQuery): Script<Page<JobTimeline>> {
  const { runs = 1, ...filter } = query;
  const { run_id } = yield* needWorkflow(workflowId);
  const { items: jobs, next } = yield* jobsPage(workflowId, filter);
  const firstRun = Math.max(1, run_id - runs + 1);
  const spans =
    jobs.length === 0
      ? []
      : yield* listSpans(
          jobs.map(({ id }) => id),
          firstRun,
          ATTEMPTS_OF_A_RUN,
        );
  const ofJob = new Map<number, AttemptSpan[]>();
  for (const row of spans) ofJob.set(row.job_id, [...(ofJob.get(row.job_id) ?? []), spanRecord(row)]);
  return {
    items: jobs.map(({ id, name, scope, status, retry_available_at_ms }) => ({
      job_id: id,
      name,
      scope,
      status,
      retry_available_at_ms,
      attempts: ofJob.get(id) ?? [],
    })),
    next,
  };
}

function spanRecord(row: SpanRow): AttemptSpan {
  const outcome = row.outcome === null ? null : (JSON.parse(row.outcome) as Outcome);
  const evaluations = row.evaluations === null ? [] : (JSON.parse(row.evaluations) as Evaluation[]);
  return {
    run_id: row.run_id,
    attempt_id: row.attempt_id,
    state: attemptState(row),
    category: row.category as Category | null,
    verdict: row.verdict,
    error:
      outcome === null || row.cause === null
        ? null
        : (failIfProblem(evaluations) ?? describeOutcome(outcome)),
    claimed_at_ms: row.claimed_at,
    started_at_ms: row.started_at,
    finished_at_ms: row.finished_at,
    recovery: row.recovery_from === null ? null : { from_ms: row.recovery_from, to_ms: row.recovery_to },
  };
}
