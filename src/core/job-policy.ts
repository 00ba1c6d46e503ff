import type { Policy } from './decision.ts';
import type { JobModel, WorkflowModel } from './workflow-model.ts';

/** What a spec says about the failures of one of its jobs, before anything has happened. */
export function jobPolicy(model: WorkflowModel, job: JobModel): Policy {
  const { retry, deadlineMs, timeoutMs, failureHandler, onFail, onSuccess, onCall } = job.config;
  return {
    handler:
      failureHandler === null
        ? null
        : (model.failureHandlers.find(({ name }) => name === failureHandler) ?? 'unreadable'),
    retry,
    deadlineMs,
    usePendingFailed: model.usePendingFailed,
    memoryBytes: model.requirements[job.requirement]?.memoryBytes ?? null,
    runtimeMs: timeoutMs,
    routes:
      onFail === null && onSuccess === null
        ? null
        : { onFail, onSuccess, maxLoops: model.routing.maxLoops, called: onCall },
  };
}
