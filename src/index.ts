export {
  Client,
  type SubmitOptions,
  type SubmittedJob,
  type SubmitWorkflowOptions,
  type WaitOptions,
} from './client/client.ts';
export { type ConnectOptions, connect } from './client/connect.ts';
export type { EventStreamOptions } from './client/event-stream.ts';
export type { FunctionRequest } from './client/function-job.ts';
export type { LogOptions } from './client/job-log.ts';
export type { JobRequest, JobResources, RetryConfig } from './client/job-request.ts';
export type { JobState } from './client/job-state.ts';
export type { Engine } from './contract/engine.ts';
export type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobDetails,
  JobRecord,
  Page,
  WorkflowRecord,
  WorkflowStatus,
} from './contract/records/records.ts';
export { type ErrorCode, HoldfastError } from './core/errors.ts';
export type { JobStatus } from './core/job/job-status.ts';
export type { Outcome } from './core/job/outcome.ts';
export type { WorkflowModel } from './core/model/workflow-model.ts';
export type { RetryPolicy } from './core/policy/retry-policy.ts';
export { type OpenOptions, openEngine } from './engine/open-engine.ts';
export { loadSpec } from './spec/load-spec.ts';
export { formatProblem, type Problem } from './spec/problem.ts';
export type { WorkflowSpec } from './spec/schema/workflow-schema.ts';
export {
  type RunEnd as WorkerEnd,
  RunWorker as Worker,
  type RunWorkerOptions as WorkerOptions,
} from './worker/run-worker.ts';
