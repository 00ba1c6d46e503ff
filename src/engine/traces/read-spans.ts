import type { SpanPage, TraceOrder, TraceSpan } from '../../contract/records/trace.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { listTraced, listTracedErrands } from '../../store/rows/traces/trace-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { readAttemptTimes } from '../read/attempt-times.ts';
import { requestLabel } from '../records/record-request.ts';
import { attemptSpan, errandSpan, waitingSpan } from './attempt-spans.ts';
import type { TraceIds } from './trace-ids.ts';

const MOST_ATTEMPTS = 500;

/** The next spans of an order. */
export function* readSpans(
  { id, run_id }: { id: number; run_id: number },
  order: TraceOrder,
  ids: TraceIds,
): Script<SpanPage> {
  const workflow = yield* findWorkflow(id);
  // Deleted meanwhile, with all that there was to send.
  if (workflow === undefined) return { spans: [], rest: null };
  const rows = yield* listTraced(id, order, MOST_ATTEMPTS);
  const tokens = rows.map(({ token }) => token);
  const waits = new Map(
    (yield* readAttemptTimes(tokens)).map(({ token, waiting_ms }) => [token, waiting_ms]),
  );
  const errands = yield* listTracedErrands(tokens);
  const spans = rows.flatMap((row): TraceSpan[] => {
    const parents = {
      trace_id: ids.trace(id, row.run_id),
      run: ids.run(id, row.run_id),
      attempt: ids.attempt(row.token),
    };
    const name = jobLabel({ name: row.job_name, scope: row.scope });
    const scripts = errands
      .filter(({ token, kind }) => token === row.token && (kind === 'recovery') === (row.type === 'recovery'))
      .map((errand) => errandSpan(errand, name, parents, ids));
    if (row.type === 'recovery') return scripts;
    const waiting = waitingSpan(row, name, waits.get(row.token) ?? 0, parents, ids);
    return [...(waiting === null ? [] : [waiting]), attemptSpan(row, name, parents), ...scripts];
  });
  const last = rows.at(-1);
  if (rows.length === MOST_ATTEMPTS) return { spans, rest: { ...order, after_event: last!.event_id } };
  if (order.end !== null) spans.push(yield* runSpan(workflow, run_id, { ...order, end: order.end }, ids));
  return { spans, rest: null };
}

/** A run that was opened again after its end has a span of its own for each later end, below the first one. */
function* runSpan(
  workflow: WorkflowRow,
  runId: number,
  { ends, end }: TraceOrder & { end: NonNullable<TraceOrder['end']> },
  ids: TraceIds,
): Script<TraceSpan> {
  const { id, name, request_id, owned_by, project } = workflow;
  const { state, exit_code, jobs } = end;
  const request = request_id === null ? null : requestLabel(yield* getRequestRow(request_id));
  const hasFailed = state === 'failed';
  return {
    trace_id: ids.trace(id, runId),
    span_id: ids.run(id, runId, ends - 1),
    parent_id: ends === 1 ? null : ids.run(id, runId),
    name: ends === 1 ? name : `${name} resumed`,
    // The first waits begin with it.
    start_ms: end.created_at_ms,
    end_ms: end.finished_at_ms,
    status: hasFailed ? 'error' : state === 'completed' ? 'ok' : 'unset',
    problem: hasFailed ? `${jobs.failed} of ${jobs.total} jobs failed` : null,
    attributes: {
      'holdfast.workflow.id': id,
      'holdfast.workflow.name': name,
      'holdfast.run.id': runId,
      'holdfast.run.state': state,
      ...(exit_code !== null && { 'holdfast.run.exit_code': exit_code }),
      ...Object.fromEntries(Object.entries(jobs).map(([key, count]) => [`holdfast.jobs.${key}`, count])),
      ...(owned_by !== '' && { 'holdfast.owner': owned_by }),
      ...(project !== null && { 'holdfast.project': project }),
      ...(request !== null && { 'holdfast.request': request }),
    },
  };
}
