import type { CodeKey } from './evaluation.ts';
import type { FailureHandler } from './failure-rule.ts';
import type { Category, Cause, Outcome } from './outcome.ts';
import type { PostResult } from './post-result.ts';
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
}

/** What the store knows of the job when an attempt ends, that attempt not included. */
export interface History {
  /** Failed attempts of this visit (never lost, stopped or canceled ones). */
  failures: number;
  /** Started attempts of this visit that were lost. */
  preemptions: number;
  /** Lost attempts directly before this one. */
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
  /** Why `fail_if` makes a failure of it; null if it does not. */
  failIf: string | null;
  dynamic: DynamicRoutes;
}

/** An attempt of a job whose spec has no code and that no goto overtook. */
export const PLAIN_END: Pick<Ended, 'superseded' | 'disabled' | 'failIf' | 'dynamic'> = {
  superseded: false,
  disabled: false,
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
  /** Waits for somebody to decide. */
  | { kind: 'ask' }
  | { kind: 'cancel' }
  /** Back to an ancestor: it and everything after it runs again. `status` is what the job would have ended as. */
  | { kind: 'goto'; target: string; status: EndStatus }
  /** Fails, and takes its scope with it, because `max_loops` is used up. */
  | { kind: 'loop_abort'; status: 'failed' | 'terminated' }
  | { kind: 'supersede' }
  | { kind: 'disable' }
  /** Not a verdict yet: this code has to be asked first. */
  | { kind: 'evaluate'; keys: CodeKey[] };

type EndStatus = 'completed' | 'failed' | 'terminated';

/** What became of the failure handler; null where it was not asked. */
export type HandlerOutcome = 'Retried' | 'NoHandler' | 'NoMatchingRule' | 'MaxRetriesExceeded' | 'Error';

export interface WalkStep {
  /** Name of the rule, also the anchor in docs/failure-policy.md. */
  rule: RuleName;
  applies: boolean;
  because: string;
}

export interface Decision {
  verdict: Verdict;
  cause: Cause | null;
  matchCode: number | null;
  category: Category | null;
  /** The rule that gave the verdict. */
  rule: RuleName;
  reason: string;
  handlerOutcome: HandlerOutcome | null;
  /** To be run once before the retry. */
  recoveryScript: string | null;
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
