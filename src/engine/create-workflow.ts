import type { NewWorkflow } from '../core/engine.ts';
import { insertAction } from '../store/action-rows.ts';
import { insertDependencyMember, insertDependencySet } from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { insertHandler } from '../store/handler-rows.ts';
import { insertJob } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { insertUserData } from '../store/user-data-rows.ts';
import { insertRequirement, insertRun, insertWorkflow } from '../store/workflow-rows.ts';

/** Stores and initialises a workflow: jobs without dependencies are ready, the others blocked. */
export function* createWorkflow({ model, cwd, output_dir, actor }: NewWorkflow, now: number): Script<number> {
  const workflowId = yield* insertWorkflow(model, { cwd, output_dir, created_at: now });
  yield* insertRun(workflowId, 1, now);

  const requirementIds: number[] = [];
  for (const requirement of model.requirements) {
    requirementIds.push(yield* insertRequirement(workflowId, requirement));
  }
  const handlerIds = new Map<string, number>();
  for (const handler of model.failureHandlers) {
    handlerIds.set(handler.name, yield* insertHandler(workflowId, handler));
  }
  for (const value of model.userData) yield* insertUserData(workflowId, value);
  const setIds: number[] = [];
  for (const members of model.dependencySets) {
    setIds.push(yield* insertDependencySet(workflowId, members.length));
  }
  const jobIds: number[] = [];
  for (const job of model.jobs) {
    const isReady = job.dependencySet === null;
    const { schedulingTimeoutMs } = job.config;
    jobIds.push(
      yield* insertJob(workflowId, job, {
        requirement_id: requirementIds[job.requirement]!,
        dependency_set_id: job.dependencySet === null ? null : setIds[job.dependencySet]!,
        failure_handler_id: handlerIds.get(job.config.failureHandler ?? '') ?? null,
        status: isReady ? 'ready' : 'blocked',
        schedule_by: isReady && schedulingTimeoutMs !== null ? now + schedulingTimeoutMs : null,
      }),
    );
  }
  for (const [index, members] of model.dependencySets.entries()) {
    for (const member of members) yield* insertDependencyMember(setIds[index]!, jobIds[member]!);
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
  return workflowId;
}
