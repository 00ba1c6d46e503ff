import type { NewWorkflow } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { SubmittedWorkflow, WorkflowPart } from '../../core/model/workflow-parts.ts';
import { lockKey } from '../../store/lock-rows.ts';
import { insertScheduler } from '../../store/rows/allocations/scheduler-rows.ts';
import { insertAction, insertWatched } from '../../store/rows/errands/action-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { putRootScope } from '../../store/rows/flow/scope-rows.ts';
import { insertDependencyMembers, insertDependencySet } from '../../store/rows/jobs/dependency-rows.ts';
import { countNewJobs, insertJobs } from '../../store/rows/jobs/new-job-rows.ts';
import { insertUnit, insertUnitItems } from '../../store/rows/requests/unit-rows.ts';
import { insertHandler } from '../../store/rows/workflows/handler-rows.ts';
import { insertRun } from '../../store/rows/workflows/run-rows.ts';
import { findSubmission, insertSubmission } from '../../store/rows/workflows/submission-rows.ts';
import { insertUserData } from '../../store/rows/workflows/user-data-rows.ts';
import { insertRequirement, insertWorkflow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import { holdBack } from '../runs/hold-back.ts';
import { prepareWorkflow, workflowParts } from './workflow-parts.ts';

/** The numbers that rows were given, by their positions in the parts of the workflow. */
export class RowIds {
  readonly workflowId: number;
  readonly #ids = new Map<WorkflowPart['kind'], (number | null)[]>();
  readonly #handlers = new Map<string, number>();

  constructor(workflowId: number) {
    this.workflowId = workflowId;
  }

  add(part: WorkflowPart, ids: readonly (number | null)[]): void {
    const known = this.#ids.get(part.kind) ?? [];
    this.#ids.set(part.kind, known);
    for (const id of ids) known.push(id);
    if (part.kind === 'handlers') {
      for (const [index, { name }] of part.rows.entries()) this.#handlers.set(name, ids[index]!);
    }
  }

  of(kind: WorkflowPart['kind'], position: number): number {
    return this.#ids.get(kind)![position]!;
  }

  handler(name: string | null): number | null {
    return name === null ? null : (this.#handlers.get(name) ?? null);
  }
}

/** The workflow that was submitted under the same key before, if it is the same. */
export function* findSubmitted(workflow: SubmittedWorkflow): Script<number | undefined> {
  const { idempotency_key, digest, owner } = workflow;
  if (idempotency_key === null) return undefined;
  yield* lockKey(idempotency_key);
  const known = yield* findSubmission(idempotency_key);
  if (known === undefined || (known.digest === digest && known.owned_by === owner)) return known?.workflow_id;
  throw new HoldfastError('KEY_REUSED', { key: idempotency_key, id: known.workflow_id });
}

/** Its first row. `storingUntil`: more transactions follow. */
export function* beginWorkflow(
  { head, cwd, output_dir, shared, executor, owner }: SubmittedWorkflow,
  now: number,
  storingUntil: number | null,
): Script<number> {
  return yield* insertWorkflow(head, {
    cwd,
    output_dir,
    shared,
    executor,
    owner,
    created_at: now,
    storing_until: storingUntil,
  });
}

/** Returns the numbers of its rows, of those that others refer to. */
export function* storePart(ids: RowIds, part: WorkflowPart, now: number): Script<(number | null)[]> {
  const { workflowId } = ids;
  const stored: (number | null)[] = [];
  switch (part.kind) {
    case 'requirements':
      for (const row of part.rows) stored.push(yield* insertRequirement(workflowId, row));
      break;
    case 'schedulers':
      for (const row of part.rows) stored.push(yield* insertScheduler(workflowId, row));
      break;
    case 'handlers':
      for (const row of part.rows) stored.push(yield* insertHandler(workflowId, row));
      break;
    case 'user_data':
      for (const row of part.rows) yield* insertUserData(workflowId, row);
      break;
    case 'sets':
      for (const size of part.rows) {
        stored.push(size === null ? null : yield* insertDependencySet(workflowId, size));
      }
      break;
    case 'jobs':
      return yield* insertJobs(
        workflowId,
        part.rows.map((job) => ({
          job,
          requirement_id: ids.of('requirements', job.requirement),
          dependency_set_id: job.dependency_set === null ? null : ids.of('sets', job.dependency_set),
          failure_handler_id: ids.handler(job.failure_handler),
          gives_up_at:
            job.status === 'ready' && job.scheduling_timeout_ms !== null
              ? now + job.scheduling_timeout_ms
              : null,
        })),
      );
    case 'members':
      yield* insertDependencyMembers(
        part.rows.map(({ set, job, kind }) => ({
          set_id: ids.of('sets', set),
          job_id: ids.of('jobs', job),
          kind,
        })),
      );
      break;
    case 'actions':
      for (const row of part.rows) stored.push(yield* insertAction(workflowId, row));
      break;
    case 'watched':
      yield* insertWatched(
        part.rows.map(({ action, job }) => ({
          action_id: ids.of('actions', action),
          job_id: ids.of('jobs', job),
        })),
      );
      break;
    case 'units':
      for (const { set, ...unit } of part.rows) {
        stored.push(yield* insertUnit(workflowId, { ...unit, set_id: ids.of('sets', set) }));
      }
      break;
    case 'unit_items':
      yield* insertUnitItems(
        part.rows.map(({ unit, item_id }) => ({ unit_id: ids.of('units', unit), item_id })),
      );
  }
  return stored;
}

/** Everything of it is there: its first run begins. */
export function* completeWorkflow(
  workflowId: number,
  workflow: SubmittedWorkflow,
  now: number,
): Script<void> {
  const { head, actor, shared, idempotency_key, digest } = workflow;
  yield* insertRun(workflowId, 1, 'first', now);
  yield* putRootScope(workflowId);
  yield* countNewJobs(head.job_count);
  if (workflow.until !== null) yield* holdBack(workflowId, workflow.until, now);
  yield* appendEvent({
    workflow_id: workflowId,
    run_id: 1,
    at: now,
    type: 'workflow_created',
    actor,
    data: { name: head.name, jobs: head.job_count },
  });
  // Nobody drives it who would notice that there is nothing to do.
  if (shared) yield* endRunIfComplete({ id: workflowId, run_id: 1 }, now);
  if (idempotency_key !== null) yield* insertSubmission(idempotency_key, digest, workflowId);
}

/** All of it in one transaction. */
export function* storeAtOnce(
  workflow: SubmittedWorkflow,
  parts: Iterable<WorkflowPart>,
  now: number,
): Script<number> {
  const known = yield* findSubmitted(workflow);
  if (known !== undefined) return known;
  const ids = new RowIds(yield* beginWorkflow(workflow, now, null));
  for (const part of parts) ids.add(part, yield* storePart(ids, part, now));
  yield* completeWorkflow(ids.workflowId, workflow, now);
  return ids.workflowId;
}

/** Stores and initialises a workflow: jobs without dependencies are ready, the others blocked. */
export function* createWorkflow(workflow: NewWorkflow, now: number): Script<number> {
  return yield* storeAtOnce(prepareWorkflow(workflow), workflowParts(workflow.model), now);
}
