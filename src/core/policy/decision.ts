import type { CodeKey } from '../job/evaluation.ts';
import type { JobStatus } from '../job/job-status.ts';
import type { Category, Cause, Outcome } from '../job/outcome.ts';
import type { PostCodes, PostResult } from '../job/post-result.ts';
import type { FailureHandler } from './failure-rule.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { DynamicRoutes, RoutePolicy } from './take-route.ts';

/** Everything a user wrote that decides what happens to one job. */
export interface Policy {
  /** null: the job has none. `unreadable`: it has one that cannot be used. */
  handler: FailureHandler | 'unreadable' | null;
  retry: RetryPolicy;
  /** From the first start over all attempts; a retry that would start later is not made. */
  deadlineMs: number | null;
  usePendingFailed: boolean;
  /** What the job may use now, for rules that change it. */
  memoryBytes: number | null;
  runtimeMs: number | null;
  /** null: it has no routes. */
  routes: RoutePolicy | null;
  /** Exit codes of its post step with a meaning of their own. */
  postCodes: PostCodes;
}

/** What the store knows of the job when an attempt ends, that attempt not included. */
export interface History {
  /** Attempts of this visit that count as failures: never lost, stopped or canceled ones, but those that a user ended to retry them. */
  failures: number;
  /** Started attempts of this visit that were lost. */
  preemptions: number;
  /** Lost attempts directly before this one whose allocation was not reported as ended. */
  lossesInRow: number;
  /** When the first attempt of this visit started; null if none did. */
  firstStartedAt: number | null;
  /** Re-attempts of `on_fail` in this visit. */
  reattempts: number;
  /** Re-attempts and jumps taken in the scope. */
  loops: number;
}

/** The attempt that ended. */
export interface Ended {
  outcome: Outcome;
  attemptId: number;
  /** null: it was claimed but never started. */
  startedAt: number | null;
  finishedAt: number;
  /** Seeds jitter; equal for equal attempts. */
  seed: number;
  /** null: the job has no post script, or it was not asked. */
  post: PostResult | null;
  /** Patterns of the handler that were found in stderr. */
  stderrMatches: readonly string[];
  /** A goto overtook it while it ran. */
  superseded: boolean;
  /** Its `if` was false, so that nothing was started. */
  disabled: boolean;
  /** Why a user ended it to have it retried; null if none did. */
  retried: string | null;
  /** Why `fail_if` makes a failure of it; null if it does not. */
  failIf: string | null;
  dynamic: DynamicRoutes;
  /** Why its job is being canceled; null or absent if that was not asked for. */
  cancelReason?: string | null;
}

/** An attempt of a job whose spec has no code and that no goto overtook. */
export const PLAIN_END: Pick<Ended, 'superseded' | 'disabled' | 'retried' | 'failIf' | 'dynamic'> = {
  superseded: false,
  disabled: false,
  retried: null,
  failIf: null,
  dynamic: {},
};

export const NO_HISTORY: History = {
  failures: 0,
  preemptions: 0,
  lossesInRow: 0,
  firstStartedAt: null,
  reattempts: 0,
  loops: 0,
};

export type Verdict =
  | { kind: 'complete' }
  /** It succeeded, and is complete when these have run. */
  | { kind: 'call'; run: string[] }
  /** A retry that a budget paid for; `run` comes before it. */
  | { kind: 'retry'; notBefore: number; run: string[] }
  /** Back to ready without touching the failure budget: lost, stopped or never started. */
  | { kind: 'requeue'; notBefore: number | null }
  | { kind: 'fail'; status: 'failed' | 'terminated' }
  /** Fails and takes the whole workflow with it. */
  | { kind: 'abort'; status: 'failed' | 'terminated' }
  /** Waits for a decision. */
  | { kind: 'ask' }
  | { kind: 'cancel' }
  /** Back to an ancestor: it and everything after it runs again. `status` is what the job would have ended as. */
  | { kind: 'goto'; target: string; status: EndStatus }
  /** Fails, and takes its scope with it, because `max_loops` is used up. */
  | { kind: 'loop_abort'; status: 'failed' | 'terminated' }
  | { kind: 'supersede' }
  | { kind: 'disable' };

/** No verdict is possible before this code has been evaluated. */
export interface OpenCode {
  keys: CodeKey[];
  /** Whether it is the code of `on_fail`; otherwise that of `on_success`. */
  failed: boolean;
}

type EndStatus = 'completed' | 'failed' | 'terminated';

/** The result of the failure handler; null where it was not asked. */
export type HandlerOutcome = 'Retried' | 'NoHandler' | 'NoMatchingRule' | 'MaxRetriesExceeded' | 'Error';

export interface WalkStep {
  /** Name of the rule, also the anchor in docs/failure-policy.md. */
  rule: RuleName;
  applies: boolean;
  because: string;
}

/** The budget of the job that an attempt is charged to. */
export type Charge = 'failure' | 'preemption';

export interface Decision {
  verdict: Verdict;
  /** The status that the job moves to. */
  status: JobStatus;
  /** When a job that is ready again may start; null: at once, or it is not ready. */
  notBefore: number | null;
  /** The attempt succeeded, or was accepted, and its outputs count. */
  succeeded: boolean;
  /** null: free of charge. */
  charge: Charge | null;
  cause: Cause | null;
  matchCode: number | null;
  category: Category | null;
  /** The rule that gave the verdict. */
  rule: RuleName;
  reason: string;
  handlerOutcome: HandlerOutcome | null;
  /** To be run once before the retry. */
  recoveryScript: string | null;
  /** How long that script may run; null without one. */
  recoveryTimeoutMs: number | null;
  /** What the retry may use, where that changes. */
  memoryBytes: number | null;
  runtimeMs: number | null;
  /** Every rule that was asked, in order; the last one gave the verdict. */
  walk: WalkStep[];
}

/** The failure path: the first rule that applies decides. */
export const RULE_NAMES = [
  'canceled',
  'superseded',
  'stopped',
  'lost',
  'condition',
  'post',
  'success',
  'final',
  'handler',
  'retry',
  'routes',
  'ask',
  'otherwise',
] as const;

export type RuleName = (typeof RULE_NAMES)[number];
