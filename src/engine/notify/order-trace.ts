import type { TracedEnd } from '../../contract/records/trace.ts';
import { hasTraces } from '../../core/notify/notify-model.ts';
import type { RunVerdict } from '../../core/run/decide-run.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import {
  findLastTrace,
  forgetSentTraces,
  hasClosedAfter,
  insertTrace,
  lastEvent,
  lastEventBefore,
} from '../../store/rows/traces/trace-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { countJobs } from './count-jobs.ts';
import { subscribersOf } from './subscribers-of.ts';

// Spans are not stored: an order names the events between which attempts were closed. Orders of a workflow follow each other
// without gaps, and events of a workflow are written one transaction after the other, so that each span is in one order.

/** A run has ended: what is left of its spans is sent, with that of the run. */
export function* traceRunEnd(run: RunOf, verdict: RunVerdict, now: number): Script<void> {
  const workflow = yield* findTraced(run.id);
  if (workflow === null) return;
  const { created_at, finished_at } = yield* findRun(run.id, run.run_id);
  const { waiting: _, ...jobs } = yield* countJobs(workflow);
  yield* orderTrace(
    run,
    { ...verdict, created_at_ms: created_at, finished_at_ms: finished_at ?? now, jobs },
    now,
  );
}

/** A run is still open: spans of what has ended so far are sent. */
export function* traceOpenRun(run: RunOf, now: number): Script<void> {
  const workflow = yield* findTraced(run.id);
  if (workflow?.run_id === run.run_id && (yield* hasNewSpans(run))) yield* orderTrace(run, null, now);
}

/** Whether attempts were closed since spans were ordered last. */
export function* hasNewSpans(run: RunOf): Script<boolean> {
  return yield* hasClosedAfter(run.id, yield* tracedTo(run));
}

function* orderTrace(run: RunOf, end: TracedEnd | null, now: number): Script<void> {
  const last = yield* findLastTrace(run.id);
  const ends = (last?.run_id === run.run_id ? last.order.ends : 0) + (end === null ? 0 : 1);
  const order = { after_event: yield* tracedTo(run), to_event: yield* lastEvent(run.id), ends, end };
  yield* forgetSentTraces(run.id);
  yield* insertTrace(run, order, now);
}

/** Where tracing was switched on later, the current run is sent. */
function* tracedTo(run: RunOf): Script<number> {
  const last = yield* findLastTrace(run.id);
  return last?.order.to_event ?? (yield* lastEventBefore(run.id, run.run_id));
}

/** null: its spans are not sent. Rounds have the subscribers of their request. */
function* findTraced(workflowId: number): Script<WorkflowRow | null> {
  const workflow = yield* findWorkflow(workflowId);
  if (workflow === undefined) return null;
  const { request_id } = workflow;
  const owner = request_id === null ? workflow : yield* getRequestRow(request_id);
  return hasTraces(yield* subscribersOf(owner)) ? workflow : null;
}
