import { DEFAULT_POST_CODES } from '../job/post-result.ts';
import type { JobModel, WorkflowModel } from '../model/workflow-model.ts';
import type { Policy } from './decision.ts';

/** What a spec says about the failures of one of its jobs, before anything has happened. */
export function jobPolicy(model: WorkflowModel, job: JobModel): Policy {
  const {
    retry,
    deadline_ms: deadlineMs,
    timeout_ms: timeoutMs,
    failure_handler: failureHandler,
    on_fail: onFail,
    on_success: onSuccess,
    on_call: onCall,
    post,
  } = job.config;
  return {
    handler:
      failureHandler === null
        ? null
        : (model.failureHandlers.find(({ name }) => name === failureHandler) ?? 'unreadable'),
    retry,
    deadlineMs,
    usePendingFailed: model.usePendingFailed,
    memoryBytes: model.requirements[job.requirement]?.memory_bytes ?? null,
    runtimeMs: timeoutMs,
    routes:
      onFail === null && onSuccess === null
        ? null
        : { onFail, onSuccess, maxLoops: model.routing.maxLoops, called: onCall },
    postCodes: post ?? DEFAULT_POST_CODES,
  };
}
