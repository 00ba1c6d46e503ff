import type { CancelRequest, RetryJobsRequest } from '../../contract/engine.ts';
import type { FailureSummary, RecoverRequest, ResolveRequest } from '../../contract/records/resolution.ts';

/** What an action is for. */
export type Target =
  | { kind: 'workflow'; id: number; name: string }
  | { kind: 'job'; workflow: number; job: number; name: string }
  | { kind: 'group'; workflow: number; group: FailureSummary };

export type JobTarget = Extract<Target, { kind: 'job' }>;
export type GroupTarget = Extract<Target, { kind: 'group' }>;

/** What a key asks for. */
export interface Action {
  verb: 'retry' | 'fail' | 'cancel' | 'recover';
  target: Target;
  /** Of a retry of jobs that wait for a decision. */
  memory?: string;
  runtime?: string;
}

/** A request that was tried without changing anything, and what it would do, in words. */
export type TopPlan = { workflow: number; question: string; words: string[] } & (
  | { kind: 'retry'; request: RetryJobsRequest }
  | { kind: 'resolve'; request: ResolveRequest }
  | { kind: 'cancel'; request: CancelRequest }
  | { kind: 'recover'; request: RecoverRequest }
);
