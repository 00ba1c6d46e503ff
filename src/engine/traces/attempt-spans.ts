import type { TraceSpan } from '../../contract/records/trace.ts';
import { causeOf, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import type { TracedErrandRow, TracedRow } from '../../store/rows/traces/trace-rows.ts';
import type { TraceIds } from './trace-ids.ts';

/** Spans that those of an attempt belong to. */
export interface SpanParents {
  trace_id: string;
  run: string;
  attempt: string;
}

/** From the start of the process, or where there was none from the claim, to its end. */
export function attemptSpan(
  row: TracedRow,
  name: string,
  { trace_id, run, attempt }: SpanParents,
): TraceSpan {
  const outcome = JSON.parse(row.outcome ?? 'null') as Outcome | null;
  const usage = JSON.parse(row.usage ?? 'null') as { peak_rss_bytes: number; cpu_seconds: number } | null;
  const { cause } = row;
  // An attempt that was stopped, canceled or not needed is no failure of its job.
  const isNeutral = cause === 'stopped' || cause === 'canceled' || row.type === 'disable';
  const start = startOf(row);
  return {
    trace_id,
    span_id: attempt,
    parent_id: run,
    name,
    start_ms: start,
    end_ms: Math.max(start, row.finished_at),
    status: isNeutral ? 'unset' : cause === null ? 'ok' : 'error',
    problem: isNeutral || cause === null ? null : (row.reason ?? (outcome && describeOutcome(outcome))),
    attributes: {
      ...ofJob(row, name),
      'holdfast.attempt.token': row.token,
      'holdfast.visit': row.visit,
      'holdfast.worker.id': row.worker_id,
      'holdfast.site': row.site,
      'host.name': row.host,
      ...present({
        'process.exit.code': outcome?.exit_code,
        'holdfast.signal': outcome?.signal,
        'error.type': cause,
        'holdfast.category': row.category,
        'holdfast.verdict': row.verdict,
        'holdfast.rule': row.rule,
        'holdfast.reason': row.reason,
        'holdfast.fingerprint': row.fingerprint,
        'holdfast.peak_memory_bytes': usage?.peak_rss_bytes,
        'holdfast.cpu_seconds': usage?.cpu_seconds,
      }),
    },
  };
}

/** Since the job could run; null: it did not wait. */
export function waitingSpan(
  row: TracedRow,
  name: string,
  waitingMs: number,
  { trace_id, run }: SpanParents,
  ids: TraceIds,
): TraceSpan | null {
  const end = startOf(row);
  const start = row.claimed_at - waitingMs;
  if (end <= start) return null;
  return {
    trace_id,
    span_id: ids.waiting(row.token),
    parent_id: run,
    name: `${name} waiting`,
    start_ms: start,
    end_ms: end,
    status: 'unset',
    problem: null,
    attributes: ofJob(row, name),
  };
}

const KINDS = { post: 'post script', recovery: 'recovery script', evaluation: 'evaluation' };

/** A script beside an attempt, or the evaluation of its code. */
export function errandSpan(
  { id, kind, started_at, finished_at, result }: TracedErrandRow,
  name: string,
  { trace_id, attempt }: SpanParents,
  ids: TraceIds,
): TraceSpan {
  const outcome = kind === 'recovery' ? (JSON.parse(result) as Outcome) : null;
  const hasFailed = outcome !== null && causeOf(outcome) !== null;
  return {
    trace_id,
    span_id: ids.errand(id),
    parent_id: attempt,
    name: `${name} ${KINDS[kind]}`,
    start_ms: started_at,
    end_ms: Math.max(started_at, finished_at),
    status: outcome === null ? 'unset' : hasFailed ? 'error' : 'ok',
    problem: hasFailed ? describeOutcome(outcome) : null,
    attributes: { 'holdfast.errand.kind': kind },
  };
}

function startOf({ started_at, claimed_at }: TracedRow): number {
  return started_at ?? claimed_at;
}

function ofJob({ job_id, attempt_id }: TracedRow, name: string): TraceSpan['attributes'] {
  return { 'holdfast.job.id': job_id, 'holdfast.job.name': name, 'holdfast.attempt': attempt_id };
}

function present(values: Record<string, string | number | null | undefined>): TraceSpan['attributes'] {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | number] => entry[1] != null),
  );
}
