import type { TimelineQuery } from '../../contract/engine.ts';
import type { AttemptSpan, JobTimeline } from '../../contract/records/overview.ts';
import type { JobRecord, Page } from '../../contract/records/records.ts';
import type { Category } from '../../core/job/outcome.ts';
import { listSetEnds } from '../../store/rows/attempts/attempt-times-rows.ts';
import { listReadiness, listSpans, type SpanRow } from '../../store/rows/attempts/span-rows.ts';
import type { Script } from '../../store/script.ts';
import { attemptError } from '../records/attempt-error.ts';
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
  const readyAt = yield* readyTimes(jobs, ofJob, run_id);
  return {
    items: jobs.map(({ id, name, scope, status, retry_available_at_ms }) => ({
      job_id: id,
      name,
      scope,
      status,
      ready_at_ms: readyAt.get(id) ?? null,
      retry_available_at_ms,
      attempts: ofJob.get(id) ?? [],
    })),
    next,
  };
}

/** Since when jobs could run for the first time in this run: its begin, or the end of all that they wait for. */
function* readyTimes(
  jobs: readonly JobRecord[],
  spans: ReadonlyMap<number, AttemptSpan[]>,
  runId: number,
): Script<Map<number, number>> {
  const firstClaim = new Map<number, number>();
  for (const { id, status } of jobs) {
    const ofRun = (spans.get(id) ?? []).filter(({ run_id }) => run_id === runId);
    if (ofRun.length === 0 ? status === 'ready' : ofRun.length < ATTEMPTS_OF_A_RUN) {
      firstClaim.set(id, ofRun[0]?.claimed_at_ms ?? Number.POSITIVE_INFINITY);
    }
  }
  if (firstClaim.size === 0) return new Map();
  const rows = yield* listReadiness([...firstClaim.keys()], runId);
  const sets = new Set(rows.flatMap(({ dependency_set_id }) => dependency_set_id ?? []));
  const ends = sets.size === 0 ? new Map<number, number>() : yield* listSetEnds([...sets]);
  return new Map(
    rows.map(({ job_id, run_created_at, dependency_set_id: set }) => {
      const dependencies = set === null ? 0 : (ends.get(set) ?? 0);
      // A dependency may have run once more since.
      const isKnown = dependencies <= firstClaim.get(job_id)!;
      return [job_id, Math.max(run_created_at, isKnown ? dependencies : 0)];
    }),
  );
}

function spanRecord(row: SpanRow): AttemptSpan {
  return {
    run_id: row.run_id,
    attempt_id: row.attempt_id,
    state: attemptState(row),
    category: row.category as Category | null,
    verdict: row.verdict,
    error: attemptError(row),
    claimed_at_ms: row.claimed_at,
    started_at_ms: row.started_at,
    finished_at_ms: row.finished_at,
    recovery: row.recovery_from === null ? null : { from_ms: row.recovery_from, to_ms: row.recovery_to },
  };
}
