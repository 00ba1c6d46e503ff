import {
  DEFAULT_JOB_CONFIG,
  type DependencySet,
  type JobModel,
  NO_REQUIREMENT,
  type WorkflowModel,
} from '../core/model/workflow-model.ts';
import type { Routes } from '../core/policy/routes.ts';

/**
 * A workflow of one job with its own policy. Steps that its routes name are there, but are empty; a job on call has a
 * caller. Its code is left out: it sees more than one job.
 */
export function jobAlone(model: WorkflowModel, job: JobModel): WorkflowModel {
  const { on_fail: onFail, on_success: onSuccess, on_call: onCall } = job.config;
  const called = routedTo(job, [...(onFail?.run ?? []), ...(onSuccess?.run ?? [])]);
  // A goto leads to an ancestor.
  const before = routedTo(job, [onFail?.goto, onSuccess?.goto]).filter((name) => !called.includes(name));
  const alone: JobModel = {
    ...job,
    scope: '',
    dependencySet: before.length > 0 ? 0 : null,
    requirement: 0,
    config: {
      ...DEFAULT_JOB_CONFIG,
      command: job.config.command,
      timeout_ms: job.config.timeout_ms,
      deadline_ms: job.config.deadline_ms,
      retry: job.config.retry,
      failure_handler: job.config.failure_handler,
      post: job.config.post,
      on_call: onCall,
      on_fail: onFail && { ...onFail, ...NO_CODE },
      on_success: onSuccess && { ...onSuccess, ...NO_CODE },
    },
  };
  const jobs = [
    alone,
    ...before.map((name) => emptyStep(name)),
    ...called.map((name) => emptyStep(name, true)),
  ];
  if (onCall) jobs.push(callerOf(job.name, jobs));
  return {
    ...model,
    maxParallel: null,
    actions: [],
    userData: [],
    requirements: [{ ...model.requirements[job.requirement]!, resources: {}, labels: [] }, NO_REQUIREMENT],
    dependencySets: before.length > 0 ? [waitsFor(before.map((_, index) => index + 1))] : [],
    dependencyReasons: [],
    jobs,
  };
}

const NO_CODE: Pick<Routes, 'run_js' | 'goto_js'> = { run_js: null, goto_js: null };

function routedTo(job: JobModel, names: (string | null | undefined)[]): string[] {
  return [...new Set(names)].filter((name) => name != null && name !== job.name) as string[];
}

function emptyStep(name: string, onCall = false): JobModel {
  return {
    name,
    scope: '',
    priority: 0,
    cancelOnBlockingJobFailure: true,
    dependencySet: null,
    requirement: 1,
    config: { ...DEFAULT_JOB_CONFIG, command: 'true', on_call: onCall },
  };
}

function callerOf(name: string, jobs: readonly JobModel[]): JobModel {
  let caller = 'caller';
  while (jobs.some((job) => job.name === caller)) caller += '_';
  const step = emptyStep(caller);
  return {
    ...step,
    config: { ...step.config, on_success: { run: [name], ...NO_CODE, goto: null } },
  };
}

function waitsFor(members: number[]): DependencySet {
  return { members, joined: [], producers: [], anyOf: [] };
}
