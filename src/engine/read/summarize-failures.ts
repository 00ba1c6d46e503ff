import type { FailureSummaries, FailureSummaryQuery } from '../../contract/engine.ts';
import type { FailureSummary } from '../../contract/records/resolution.ts';
import { type Cause, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import {
  countFailures,
  type FailureCountRow,
  findWithLastAttempt,
} from '../../store/rows/attempts/failure-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { FAILED, failedJob, fingerprintOf, pastDecisions } from './list-failures.ts';

const GROUPS = 50;

/** As `listFailures`, counted: the answer is small, however many jobs failed. */
export function* summarizeFailures(
  workflow: WorkflowRow,
  { status = FAILED, limit = GROUPS }: FailureSummaryQuery,
): Script<FailureSummaries> {
  const rows = yield* countFailures(workflow.id, status, limit + 1);
  const groups = new Map<string, FailureSummary>();
  for (const row of rows.slice(0, limit)) {
    const summary = yield* summaryOf(row, workflow);
    const known = groups.get(summary.fingerprint);
    // An attempt without a fingerprint of its own is given one by cause and code, which another may have.
    if (known === undefined) groups.set(summary.fingerprint, summary);
    else {
      known.jobs += summary.jobs;
      known.waiting += summary.waiting;
    }
  }
  return {
    groups: [...groups.values()].sort((a, b) => b.jobs - a.jobs),
    more: rows.length > limit,
  };
}

function* summaryOf(row: FailureCountRow, workflow: WorkflowRow): Script<FailureSummary> {
  const sample = (yield* findWithLastAttempt(row.sample_job_id))!;
  const key = fingerprintOf(sample);
  return {
    fingerprint: key,
    cause: row.cause as Cause,
    match_code: row.match_code,
    error: sample.outcome === null ? '' : describeOutcome(JSON.parse(sample.outcome) as Outcome),
    jobs: row.jobs,
    waiting: row.waiting,
    sample: failedJob(sample, workflow),
    past: yield* pastDecisions(key),
  };
}
