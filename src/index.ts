export type { Engine } from './core/engine.ts';
export { type ErrorCode, HoldfastError } from './core/errors.ts';
export type { JobStatus } from './core/job-status.ts';
export type { Outcome } from './core/outcome.ts';
export type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobDetails,
  JobRecord,
  Page,
  WorkflowRecord,
  WorkflowStatus,
} from './core/records.ts';
export type { RetryPolicy } from './core/retry-policy.ts';
export type { WorkflowModel } from './core/workflow-model.ts';
export { type OpenOptions, openEngine } from './engine/open-engine.ts';
export { loadSpec } from './spec/load-spec.ts';
export { formatProblem, type Problem, type Unsupported } from './spec/problem.ts';
export { Worker, type WorkerEnd, type WorkerOptions } from './worker/worker.ts';
