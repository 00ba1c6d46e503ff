import type { WorkflowModel } from '../core/model/workflow-model.ts';
import { describePolicy } from '../core/policy/describe-policy.ts';
import { jobPolicy } from '../core/policy/job-policy.ts';

/** A policy in words, and the jobs that have it. */
export interface SharedPolicy {
  jobs: string[];
  policy: string[];
}

/** Every distinct policy of a workflow, in the order of the first job that has it. */
export function policiesOfModel(model: WorkflowModel): SharedPolicy[] {
  const policies = new Map<string, SharedPolicy>();
  for (const job of model.jobs) {
    const {
      retry,
      deadline_ms: deadlineMs,
      failure_handler: failureHandler,
      post,
      on_fail: onFail,
      on_success: onSuccess,
    } = job.config;
    const key = JSON.stringify([retry, deadlineMs, failureHandler, post === null, onFail, onSuccess]);
    const known = policies.get(key);
    if (known) known.jobs.push(job.name);
    else {
      policies.set(key, { jobs: [job.name], policy: describePolicy(jobPolicy(model, job), post !== null) });
    }
  }
  return [...policies.values()];
}
