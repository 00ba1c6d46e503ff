import type { AllocationQuery, NewAllocations, PageQuery, SchedulersChange } from '../../contract/engine.ts';
import type { AllocationRecord, SchedulerRecord } from '../../contract/records/allocation.ts';
import type { Page } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import {
  findAllocation,
  listAllocations,
  moveAllocation,
  orderCancel,
} from '../../store/rows/allocations/allocation-rows.ts';
import {
  clearScheduler,
  findScheduler,
  listSchedulers,
  putScheduler,
  type SchedulerRow,
} from '../../store/rows/allocations/scheduler-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { setExecutor, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow, takeWorkflow } from '../records/needed-rows.ts';
import { readPage } from '../records/page.ts';
import { allocationRecord, schedulerRecord } from './allocation-records.ts';
import { orderAllocation } from './order-allocation.ts';
import { recordAllocation } from './record-allocation.ts';

const NEWEST = Number.MAX_SAFE_INTEGER;

export function* schedulersPage(workflowId: number, query: PageQuery): Script<Page<SchedulerRecord>> {
  yield* needWorkflow(workflowId);
  return yield* readPage(
    query,
    0,
    (after, limit) => listSchedulers(workflowId, after, limit),
    schedulerRecord,
    (row) => row.id,
  );
}

/** Newest first. */
export function* allocationsPage(query: AllocationQuery): Script<Page<AllocationRecord>> {
  const filter = { workflow_id: query.workflow_id ?? null, states: query.state ?? null };
  if (filter.workflow_id !== null) yield* needWorkflow(filter.workflow_id);
  return yield* readPage(
    query,
    NEWEST,
    (before, limit) => listAllocations({ ...filter, before, limit }, query.reader),
    allocationRecord,
    (row) => row.id,
  );
}

/** The workflow is locked. */
export function* changeSchedulers(
  workflow: WorkflowRow,
  { schedulers, actor }: SchedulersChange,
  now: number,
): Script<Page<SchedulerRecord>> {
  for (const model of schedulers) yield* putScheduler(workflow.id, model);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    at: now,
    type: 'schedulers_changed',
    actor,
    data: { schedulers: schedulers.map(({ name }) => name) },
  });
  const rows = yield* listSchedulers(workflow.id);
  return { items: rows.map(schedulerRecord), next: null };
}

/** From now on the workflow uses its schedulers, whoever was to run its jobs before. */
export function* orderAllocations(
  workflow: WorkflowRow,
  request: NewAllocations,
  now: number,
): Script<Page<AllocationRecord>> {
  const { schedulers = [], actor, count = 1, one_worker_per_node = false, max_parallel = null } = request;
  if (!(yield* hasOpenJobs(workflow.id))) throw new HoldfastError('WORKFLOW_COMPLETE', { id: workflow.id });
  if (schedulers.length > 0) yield* changeSchedulers(workflow, { schedulers, actor }, now);
  const scheduler = yield* needScheduler(workflow.id, request.scheduler);
  yield* setExecutor(workflow.id, 'slurm');
  const items: AllocationRecord[] = [];
  for (let made = 0; made < count; made += 1) {
    const id = yield* orderAllocation(
      workflow,
      scheduler,
      { one_worker_per_node, max_parallel, action_id: null, actor, why: `ordered by ${actor}` },
      now,
    );
    items.push(allocationRecord((yield* findAllocation(id))!));
  }
  return { items, next: null };
}

/** The cluster is asked with the next pass; an allocation that was not submitted ends at once. */
export function* cancelAllocation(
  id: number,
  { actor, reason }: { actor: string; reason?: string },
  now: number,
): Script<AllocationRecord> {
  const known = yield* findAllocation(id);
  if (known === undefined) throw new HoldfastError('ALLOCATION_NOT_FOUND', { id });
  const workflow = yield* takeWorkflow(known.workflow_id);
  const row = (yield* findAllocation(id))!;
  if (row.state === 'ended') throw new HoldfastError('ALLOCATION_ENDED', { id, end: row.ending! });
  const words = `canceled by ${actor}${reason === undefined ? '' : `: ${reason}`}`;
  yield* orderCancel(id, { at: now, reason: words, unneeded: false });
  yield* recordAllocation(row, { type: 'allocation_canceled', reason: words, actor }, workflow.run_id, now);
  if (row.state === 'planned') {
    yield* moveAllocation(row, 'ended', { ended_at: now, ending: 'unsubmitted' });
  }
  return allocationRecord((yield* findAllocation(id))!);
}

/** Clears a pause and a back-off. */
export function* resumeScheduler(
  workflow: WorkflowRow,
  name: string,
  actor: string,
  now: number,
): Script<SchedulerRecord> {
  const scheduler = yield* needScheduler(workflow.id, name);
  if (scheduler.paused_at !== null || scheduler.refusals > 0 || scheduler.misses > 0) {
    yield* clearScheduler(scheduler.id);
    yield* appendEvent({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      at: now,
      type: 'scheduler_resumed',
      actor,
      data: { scheduler: name },
    });
  }
  return schedulerRecord(yield* needScheduler(workflow.id, name));
}

function* needScheduler(workflowId: number, name: string): Script<SchedulerRow> {
  const scheduler = yield* findScheduler(workflowId, name);
  if (scheduler === undefined) throw new HoldfastError('SCHEDULER_NOT_FOUND', { name, workflow: workflowId });
  return scheduler;
}
