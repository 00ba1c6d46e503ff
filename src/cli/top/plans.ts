import type { CancelRequest, RetryJobsRequest } from '../../contract/engine.ts';
import type { FailureSummary, RecoverRequest, ResolveRequest } from '../../contract/records/resolution.ts';

/** What an action on jobs is for. */
export type Target =
  | { kind: 'workflow'; id: number; name: string }
  | { kind: 'job'; workflow: number; job: number; name: string }
  | { kind: 'group'; workflow: number; group: FailureSummary };

export type JobTarget = Extract<Target, { kind: 'job' }>;
export type GroupTarget = Extract<Target, { kind: 'group' }>;

/** A request, by its name with the version. */
export interface RequestTarget {
  kind: 'request';
  name: string;
}

/** What a key asks for. */
export type Action = JobAction | TopRequestAction;

export interface TopRequestAction {
  verb: 'release' | 'stop';
  target: RequestTarget;
}

export function isOfRequest(action: Action): action is TopRequestAction {
  return action.target.kind === 'request';
}

export interface JobAction {
  verb: 'retry' | 'fail' | 'cancel' | 'recover';
  target: Target;
  /** Of a retry of jobs that wait for a decision. */
  memory?: string;
  runtime?: string;
}

/** What was tried without changing anything, and what it would do, in words. */
export type TopPlan = JobPlan | TopRequestPlan;

export type TopRequestPlan = TopRequestAction & {
  kind: 'request';
  actor: string;
  question: string;
  words: string[];
};

export type JobPlan = { workflow: number; question: string; words: string[] } & (
  | { kind: 'retry'; request: RetryJobsRequest }
  | { kind: 'resolve'; request: ResolveRequest }
  | { kind: 'cancel'; request: CancelRequest }
  | { kind: 'recover'; request: RecoverRequest }
);
