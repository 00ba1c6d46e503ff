import type { NewFailureHandler, PageQuery } from '../../contract/engine.ts';
import type { FailureHandlerRecord, Page } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { readRules, writeRules } from '../../spec/failure-rules-text.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { decodeConfig, encodeConfig } from '../../store/rows/jobs/job-rows.ts';
import {
  deleteHandler,
  findHandler,
  type HandlerRow,
  insertHandler,
  listHandlers,
  listHandlersAfter,
  listJobsWithHandler,
  setJobHandler,
} from '../../store/rows/workflows/handler-rows.ts';
import type { Script } from '../../store/script.ts';
import { readHandler } from '../decide/load-policy.ts';
import { needJob, needWorkflow, takeWorkflow } from '../records/needed-rows.ts';
import { readPage } from '../records/page.ts';

/** Stores a handler, and gives it to the jobs that are named. */
export function* createFailureHandler(
  workflowId: number,
  { name, rules, jobs = [], actor }: NewFailureHandler,
  now: number,
): Script<FailureHandlerRecord> {
  const workflow = yield* takeWorkflow(workflowId);
  for (const known of yield* listHandlers(workflowId)) {
    if (known.name === name) throw new HoldfastError('HANDLER_EXISTS', { workflow: workflowId, name });
  }
  const read = readRules(name, rules, workflow.use_pending_failed === 1);
  if (!read.ok) throw new HoldfastError('INVALID_REQUEST', { problems: read.problems.join('\n') });
  const id = yield* insertHandler(workflowId, { name, rules: JSON.stringify(read.rules) });
  for (const ref of jobs) {
    const job = yield* needJob(workflowId, ref);
    yield* setJobHandler(job.id, id, encodeConfig({ ...decodeConfig(job.config), failure_handler: name }));
  }
  yield* appendEvent({
    workflow_id: workflowId,
    run_id: workflow.run_id,
    at: now,
    type: 'handler_created',
    actor,
    data: { handler: name, ...(jobs.length > 0 ? { jobs } : {}) },
  });
  return record((yield* findHandler(id))!);
}

export function* failureHandlersPage(
  workflowId: number,
  query: PageQuery,
): Script<Page<FailureHandlerRecord>> {
  yield* needWorkflow(workflowId);
  return yield* readPage(
    query,
    0,
    (after, limit) => listHandlersAfter(workflowId, after, limit),
    record,
    (row) => row.id,
  );
}

export function* getFailureHandler(id: number): Script<FailureHandlerRecord> {
  return record(yield* needHandler(id));
}

/** Its jobs continue without one. */
export function* deleteFailureHandler(id: number, actor: string, now: number): Script<FailureHandlerRecord> {
  const handler = yield* needHandler(id);
  const workflow = yield* takeWorkflow(handler.workflow_id);
  for (const job of yield* listJobsWithHandler(id)) {
    yield* setJobHandler(job.id, null, encodeConfig({ ...decodeConfig(job.config), failure_handler: null }));
  }
  yield* deleteHandler(id);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    at: now,
    type: 'handler_deleted',
    actor,
    data: { handler: handler.name },
  });
  return record(handler);
}

function* needHandler(id: number): Script<HandlerRow> {
  const handler = yield* findHandler(id);
  if (handler === undefined) throw new HoldfastError('HANDLER_NOT_FOUND', { id });
  return handler;
}

function record(row: HandlerRow): FailureHandlerRecord {
  const { id, workflow_id, name } = row;
  const handler = readHandler(row);
  // What cannot be read is shown as it is.
  return { id, workflow_id, name, rules: handler === 'unreadable' ? row.rules : writeRules(handler.rules) };
}
