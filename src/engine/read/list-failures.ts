import type { FailureQuery } from '../../contract/engine.ts';
import type { Usage } from '../../contract/records/records.ts';
import type {
  Became,
  DecisionRecord,
  FailedJob,
  FailureGroup,
  PastDecisions,
  Utilization,
} from '../../contract/records/resolution.ts';
import { fingerprint } from '../../core/job/fingerprint.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { type JobStatus, statusName } from '../../core/job/job-status.ts';
import { logPaths } from '../../core/job/log-files.ts';
import { type Cause, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import { type DecisionRow, listDecisions } from '../../store/rows/attempts/decision-rows.ts';
import {
  type FailedJobRow,
  listWithFingerprint,
  listWithLastAttempt,
} from '../../store/rows/attempts/failure-rows.ts';
import { decodeConfig } from '../../store/rows/jobs/job-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

export const FAILED: JobStatus[] = ['failed', 'terminated', 'pending_failed'];
/** Decisions that are read for the results of failures that look alike. */
const REMEMBERED = 200;
const LATEST = 3;
const READ_AT_ONCE = 1000;

/** Failed jobs, grouped by what their failures look like; the largest groups first. */
export function* listFailures(workflow: WorkflowRow, query: FailureQuery): Script<FailureGroup[]> {
  const groups = new Map<string, FailedJobRow[]>();
  for (const row of yield* failedRows(workflow.id, query)) {
    const key = fingerprintOf(row);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, [row]);
    else alike.push(row);
  }
  const found: FailureGroup[] = [];
  const largestFirst = [...groups].sort(([, a], [, b]) => b.length - a.length);
  for (const [key, rows] of largestFirst) {
    const [first] = rows as [FailedJobRow];
    found.push({
      fingerprint: key,
      cause: first.cause as Cause,
      match_code: first.match_code,
      error: first.outcome === null ? '' : describeOutcome(JSON.parse(first.outcome) as Outcome),
      jobs: rows.slice(0, query.limit).map((row) => failedJob(row, workflow)),
      past: yield* pastDecisions(key),
    });
  }
  return found;
}

function* failedRows(
  workflowId: number,
  { status = FAILED, fingerprint: wanted, limit }: FailureQuery,
): Script<FailedJobRow[]> {
  if (wanted === undefined) {
    return (yield* listWithLastAttempt(workflowId, status)).filter(({ cause }) => cause !== null);
  }
  // Of many jobs that failed alike, only those that are listed are read.
  const found: FailedJobRow[] = [];
  const most = limit ?? Number.POSITIVE_INFINITY;
  for (let after = 0; ; ) {
    const rows = yield* listWithFingerprint(workflowId, status, wanted, after, Math.min(most, READ_AT_ONCE));
    found.push(...rows.filter((row) => row.cause !== null && fingerprintOf(row) === wanted));
    if (rows.length < Math.min(most, READ_AT_ONCE) || found.length >= most) return found.slice(0, limit);
    after = rows.at(-1)!.job_id;
  }
}

/** Attempts that nobody looked at more closely are distinguished by cause and code. */
export function fingerprintOf(row: FailedJobRow): string {
  return row.fingerprint ?? fingerprint(row.cause as Cause, row.match_code, '');
}

export function failedJob(row: FailedJobRow, workflow: WorkflowRow): FailedJob {
  const config = decodeConfig(row.config);
  const place = { ...row, workflow_id: workflow.id };
  const { stdout, stderr } = logPaths(place, workflow.output_dir, config.stdio.mode);
  const { peak_rss_bytes, ran_ms } = used(row);
  return {
    job_id: row.job_id,
    name: jobLabel(row),
    status: statusName(row.status),
    attempt_id: row.attempt_id,
    run_id: row.run_id,
    stdout_path: stdout,
    stderr_path: stderr,
    memory_bytes: row.memory_bytes,
    runtime_ms: config.timeout_ms,
    peak_rss_bytes,
    ran_ms,
    finished_at_ms: row.finished_at,
  };
}

function used({ usage, started_at, finished_at }: FailedJobRow): {
  peak_rss_bytes: number | null;
  cpu_seconds: number | null;
  ran_ms: number | null;
} {
  const sampled = usage === null ? null : (JSON.parse(usage) as Usage);
  return {
    peak_rss_bytes: sampled?.peak_rss_bytes ?? null,
    cpu_seconds: sampled?.cpu_seconds ?? null,
    ran_ms: started_at === null ? null : finished_at - started_at,
  };
}

export function* pastDecisions(key: string): Script<PastDecisions> {
  const rows = yield* listDecisions({
    before: Number.MAX_SAFE_INTEGER,
    limit: REMEMBERED,
    workflow_id: null,
    fingerprint: key,
  });
  const records = rows.map(decisionRecord);
  const count = (wanted: (record: DecisionRecord) => boolean) => records.filter(wanted).length;
  return {
    retried: count(({ action }) => action === 'retry'),
    succeeded: count(({ became }) => became === 'succeeded'),
    failed_again: count(({ became }) => became === 'failed_again'),
    failed: count(({ action }) => action === 'fail'),
    latest: records.slice(0, LATEST),
  };
}

export function decisionRecord(row: DecisionRow): DecisionRecord {
  const { next_verdict, next_cause, scope, job_name, decided_at, ...facts } = row;
  return {
    ...facts,
    job_name: jobLabel({ name: job_name, scope }),
    decided_at_ms: decided_at,
    became: row.action === 'fail' ? null : becameOf(next_verdict, next_cause),
  };
}

function becameOf(verdict: string | null, cause: string | null): Became {
  if (verdict === null) return 'open';
  return verdict === 'complete' || cause === null ? 'succeeded' : 'failed_again';
}

export function utilizationOf(row: FailedJobRow): Utilization {
  const { peak_rss_bytes, cpu_seconds, ran_ms } = used(row);
  return {
    job_id: row.job_id,
    name: jobLabel(row),
    status: statusName(row.status),
    run_id: row.run_id,
    attempt_id: row.attempt_id,
    memory_requested_bytes: row.memory_bytes,
    peak_rss_bytes,
    runtime_limit_ms: decodeConfig(row.config).timeout_ms,
    ran_ms,
    cpus_requested: row.cpus,
    sample_count: row.sample_count,
    cpus_used: cpu_seconds === null || !ran_ms ? null : (cpu_seconds * 1000) / ran_ms,
  };
}
