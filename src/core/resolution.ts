import type { JobStatus } from './job-status.ts';
import type { Cause } from './outcome.ts';

// Decisions of people and agents about failures that nothing in the workflow covers, and recovery. Field names are the
// public ones.

type Millis = number;

export type ResolveAction = 'retry' | 'fail';

/** What somebody says about one job that waits for a decision. */
export interface ResolveDecision {
  job_id: number;
  action: ResolveAction;
  /** What the retry may use, as a size such as `4g`; for this job alone. */
  memory?: string;
  /** As a duration such as `2h`, or ISO 8601. */
  runtime?: string;
  reason?: string;
  /** From 0 to 1. */
  confidence?: number;
}

/** What an agent may do at the most. Held by the engine's transaction, whatever the agent says. */
export interface AgentLimits {
  /** Decisions that this request may still make; those beyond are refused as a whole. */
  max_decisions: number;
  /** Decisions with less are left for a person; one without a confidence has 0. */
  min_confidence: number;
}

export interface ResolveRequest {
  decisions: ResolveDecision[];
  /** Who decides: a user's name, `recover`, or `agent:NAME`. */
  actor: string;
  dry_run?: boolean;
  /** Present if an agent decides; then at most 3 retries per job and run are agents' doing. */
  agent?: AgentLimits;
}

export interface ResolvedJob {
  job_id: number;
  /** The label. */
  name: string;
  action: ResolveAction;
  /** `left`: its confidence is too low; the job still waits for a decision. */
  result: 'resolved' | 'already_resolved' | 'left';
  /** The attempt that was decided about. */
  attempt_id: number;
  reason: string | null;
  confidence: number | null;
  /** What the next attempt may use, where the decision changes it. */
  memory_bytes: number | null;
  runtime_ms: number | null;
  /** Labels of the dependents that are canceled by it. */
  canceled: string[];
}

export interface ResolveResult {
  dry_run: boolean;
  jobs: ResolvedJob[];
}

/** What became of a decision to retry. */
export type Became = 'succeeded' | 'failed_again' | 'open';

export interface DecisionRecord {
  id: number;
  workflow_id: number;
  run_id: number;
  job_id: number;
  job_name: string;
  attempt_id: number;
  action: ResolveAction;
  actor: string;
  reason: string | null;
  confidence: number | null;
  fingerprint: string | null;
  memory_bytes: number | null;
  runtime_ms: number | null;
  decided_at_ms: Millis;
  /** null for a decision to fail. */
  became: Became | null;
}

/** Earlier decisions about failures that look alike, in any workflow of this store. */
export interface PastDecisions {
  retried: number;
  /** Of the retried. */
  succeeded: number;
  failed_again: number;
  failed: number;
  /** The newest ones, at most 3. */
  latest: DecisionRecord[];
}

/** Failures of a run that look alike. */
export interface FailureGroup {
  fingerprint: string;
  cause: Cause;
  match_code: number | null;
  /** How the first of them ended, in words. */
  error: string;
  jobs: FailedJob[];
  past: PastDecisions;
}

export interface FailedJob {
  job_id: number;
  /** The label. */
  name: string;
  status: JobStatus;
  attempt_id: number;
  run_id: number;
  /** Of the attempt that failed last. */
  stdout_path: string;
  stderr_path: string;
  memory_bytes: number | null;
  runtime_ms: number | null;
  peak_rss_bytes: number | null;
  ran_ms: number | null;
}

export interface FailureQuery {
  /** Only jobs in these statuses; failed, terminated and pending_failed unless told. */
  statuses?: JobStatus[];
  fingerprint?: string;
}

export interface RecoverRequest {
  actor: string;
  dry_run?: boolean;
  memory_multiplier: number;
  runtime_multiplier: number;
  /** What no job is given more of. */
  max_memory_bytes: number | null;
  max_runtime_ms: number | null;
  /** Failures of unknown cause too. */
  retry_unknown: boolean;
  /** Present if an agent recovers: each retry is a decision of its own. */
  agent?: AgentLimits;
}

export interface RecoveredJob {
  job_id: number;
  name: string;
  why: 'oom' | 'timeout' | 'unknown';
  memory_bytes: { from: number; to: number } | null;
  runtime_ms: { from: number; to: number } | null;
}

/** What recovery does, or would do. */
export interface RecoverResult {
  dry_run: boolean;
  /** `resolve`: jobs that waited for a decision go on in the same run. `new_run`: the run was complete. */
  mode: 'resolve' | 'new_run' | 'nothing';
  run_id: number;
  retried: RecoveredJob[];
  /** Failed jobs that are left as they are, and why. */
  left: { job_id: number; name: string; status: JobStatus; why: string }[];
}

export interface ResourceChange {
  memory?: string;
  runtime?: string;
  actor: string;
  dry_run?: boolean;
}

export interface ResourceChangeResult {
  job_id: number;
  name: string;
  dry_run: boolean;
  memory_bytes: { from: number | null; to: number } | null;
  runtime_ms: { from: number | null; to: number } | null;
}

/** What a job asked for against what its attempts used; null where it asked for nothing or was too short to tell. */
export interface Utilization {
  job_id: number;
  name: string;
  status: JobStatus;
  attempt_id: number;
  memory_requested_bytes: number | null;
  peak_rss_bytes: number | null;
  runtime_limit_ms: number | null;
  ran_ms: number | null;
  cpus_requested: number | null;
  /** Processor time over elapsed time. */
  cpus_used: number | null;
}
