import { createHash } from 'node:crypto';
import type { NewWorkflow } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { insertAction } from '../store/action-rows.ts';
import {
  insertDependencyMember,
  insertDependencySet,
  MEMBER_JOINED,
  MEMBER_PLAIN,
} from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { insertHandler } from '../store/handler-rows.ts';
import { lockKey } from '../store/lock-rows.ts';
import { insertJobs } from '../store/new-job-rows.ts';
import { putScope } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import { findSubmission, insertSubmission } from '../store/submission-rows.ts';
import { insertUserData } from '../store/user-data-rows.ts';
import { insertRequirement, insertRun, insertWorkflow } from '../store/workflow-rows.ts';
import { finishIfComplete } from './end-attempts.ts';

/** Creates a workflow, unless the same was created before under the same key. */
export function* submitWorkflow(workflow: NewWorkflow, now: number): Script<number> {
  const key = workflow.idempotency_key;
  if (key === undefined) return yield* createWorkflow(workflow, now);
  const digest = digestOf(workflow);
  yield* lockKey(key);
  const known = yield* findSubmission(key);
  if (known !== undefined) {
    if (known.digest === digest) return known.workflow_id;
    throw new HoldfastError('KEY_REUSED', { key, id: known.workflow_id });
  }
  const id = yield* createWorkflow(workflow, now);
  yield* insertSubmission(key, digest, id);
  return id;
}

function digestOf({ model, source, cwd, output_dir }: NewWorkflow): string {
  const content = JSON.stringify([source ?? model, cwd, output_dir]);
  return createHash('sha256').update(content).digest('hex');
}

/** Stores and initialises a workflow: jobs without dependencies are ready, the others blocked. */
export function* createWorkflow(
  { model, cwd, output_dir, actor, shared = false }: NewWorkflow,
  now: number,
): Script<number> {
  const workflowId = yield* insertWorkflow(model, { cwd, output_dir, shared, created_at: now });
  yield* insertRun(workflowId, 1, now);
  yield* putScope(workflowId, '', null);

  const requirementIds: number[] = [];
  for (const requirement of model.requirements) {
    requirementIds.push(yield* insertRequirement(workflowId, requirement));
  }
  const handlerIds = new Map<string, number>();
  for (const handler of model.failureHandlers) {
    handlerIds.set(handler.name, yield* insertHandler(workflowId, handler));
  }
  for (const value of model.userData) yield* insertUserData(workflowId, value);
  const waitedFor = new Set(model.jobs.map((job) => (job.config.onCall ? null : job.dependencySet)));
  const setIds: (number | null)[] = [];
  for (const [index, { members, anyOf }] of model.dependencySets.entries()) {
    if (!waitedFor.has(index)) {
      setIds.push(null);
      continue;
    }
    const size = members.length - new Set(anyOf.flat()).size + anyOf.length;
    setIds.push(yield* insertDependencySet(workflowId, size));
  }
  const jobIds = yield* insertJobs(
    workflowId,
    model.jobs.map((job) => {
      const { onCall, schedulingTimeoutMs } = job.config;
      // A step on call waits for nothing but a call.
      const set = onCall ? null : job.dependencySet;
      const isReady = set === null && !onCall;
      return {
        job,
        requirement_id: requirementIds[job.requirement]!,
        dependency_set_id: set === null ? null : (setIds[set] ?? null),
        failure_handler_id: handlerIds.get(job.config.failureHandler ?? '') ?? null,
        status: onCall ? 'disabled' : isReady ? 'ready' : 'blocked',
        settled: onCall ? 'disabled' : null,
        blueprint: job.scope === '' ? 0 : 1,
        schedule_by: isReady && schedulingTimeoutMs !== null ? now + schedulingTimeoutMs : null,
      };
    }),
  );
  for (const [index, { members, joined, anyOf }] of model.dependencySets.entries()) {
    const setId = setIds[index] ?? null;
    if (setId === null) continue;
    const kinds = new Map(joined.map((member) => [member, MEMBER_JOINED]));
    for (const [group, alternatives] of anyOf.entries()) {
      for (const member of alternatives) kinds.set(member, group + 1);
    }
    for (const member of members)
      yield* insertDependencyMember(setId, jobIds[member]!, kinds.get(member) ?? MEMBER_PLAIN);
  }
  for (const action of model.actions) {
    yield* insertAction(
      workflowId,
      action,
      action.jobs.map((job) => jobIds[job]!),
    );
  }
  yield* appendEvent({
    workflow_id: workflowId,
    run_id: 1,
    at: now,
    type: 'workflow_created',
    actor,
    data: { name: model.name, jobs: model.jobs.length },
  });
  // Nobody drives it who would notice that there is nothing to do.
  if (shared) yield* finishIfComplete(workflowId, 1, now);
  return workflowId;
}
