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
  // Expansions of one written job follow each other, and mostly have the same.
  let last: { key: unknown[]; policy: SharedPolicy } | null = null;
  for (const job of model.jobs) {
    const {
      retry,
      deadline_ms: deadlineMs,
      failure_handler: failureHandler,
      post,
      on_fail: onFail,
      on_success: onSuccess,
    } = job.config;
    const parts = [retry, deadlineMs, failureHandler, post === null, onFail, onSuccess];
    if (last?.key.every((part, index) => part === parts[index])) {
      last.policy.jobs.push(job.name);
      continue;
    }
    const key = JSON.stringify(parts);
    const policy = policies.get(key) ?? {
      jobs: [],
      policy: describePolicy(jobPolicy(model, job), post !== null),
    };
    policy.jobs.push(job.name);
    policies.set(key, policy);
    last = { key: parts, policy };
  }
  return [...policies.values()];
}
