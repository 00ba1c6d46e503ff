import type { NewFailureHandler } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { FailureHandlerRecord } from '../core/records.ts';
import { readRules, writeRules } from '../spec/failure-rules-text.ts';
import { appendEvent } from '../store/event-rows.ts';
import {
  deleteHandler,
  findHandler,
  type HandlerRow,
  insertHandler,
  listHandlers,
  listJobsWithHandler,
  setJobHandler,
} from '../store/handler-rows.ts';
import { decodeConfig, encodeConfig } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { readHandler } from './load-policy.ts';
import { needJob, needWorkflow, takeWorkflow } from './needed-rows.ts';

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
  const id = yield* insertHandler(workflowId, { name, rules: read.rules });
  for (const ref of jobs) {
    const job = yield* needJob(workflowId, ref);
    yield* setJobHandler(job.id, id, encodeConfig({ ...decodeConfig(job.config), failureHandler: name }));
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

export function* failureHandlersOf(workflowId: number): Script<FailureHandlerRecord[]> {
  yield* needWorkflow(workflowId);
  return (yield* listHandlers(workflowId)).map(record);
}

export function* getFailureHandler(id: number): Script<FailureHandlerRecord> {
  return record(yield* needHandler(id));
}

/** Its jobs go on without one. */
export function* deleteFailureHandler(id: number, actor: string, now: number): Script<FailureHandlerRecord> {
  const handler = yield* needHandler(id);
  const workflow = yield* takeWorkflow(handler.workflow_id);
  for (const job of yield* listJobsWithHandler(id)) {
    yield* setJobHandler(job.id, null, encodeConfig({ ...decodeConfig(job.config), failureHandler: null }));
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
