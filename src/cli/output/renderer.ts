import type { CancelResult, ResetResult } from '../../core/engine.ts';
import type { JobStatus } from '../../core/job-status.ts';
import type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobRecord,
  WorkerRecord,
  WorkflowRecord,
  WorkflowStatus,
} from '../../core/records.ts';
import type { ResolveResult } from '../../core/resolution.ts';
import type { SimulatedStep } from '../../core/simulate.ts';
import type { CreatedToken, TokenRecord } from '../../core/token.ts';
import type { SettingOrigin } from '../config/resolve-settings.ts';
import type { Plan } from '../graph/plan.ts';
import type { SharedPolicy } from '../policy/policies-of-model.ts';
import type { Recovery } from '../recovery/recovery.ts';
import type { TraceEntry } from '../run/route-trace.ts';
import type { WorkflowSimulation } from '../simulate/simulate-workflow.ts';
import type { DecisionStats } from '../triage/decision-stats.ts';
import type { ToldGroup } from '../triage/told-group.ts';
import type { JobUsage } from './job-usage.ts';

/** A job that failed, or waits for a decision about it, with what helps to see why. */
export interface FailedJob {
  job: JobRecord;
  /** The attempt that decided; null if it never had one. */
  attempt: AttemptRecord | null;
  /** Its last lines of stderr. */
  stderr: string[];
}

/** What `run` tells at its end. */
export interface RunResult {
  status: WorkflowStatus;
  /** What led where in this run. */
  trace: TraceEntry[];
  /** Tell what was asked, waited for and counted, too. */
  debug: boolean;
  /** The first of the jobs that failed, or wait for a decision. */
  failed: FailedJob[];
  /** Completed jobs of which an attempt had failed or was lost. */
  recovered: JobRecord[];
  /** What helps most from here, the first line a command or what is waited for; null if there is nothing to do. */
  next: string | null;
}

export interface SpecPlace {
  line: number;
  column: number;
  path: string;
  message: string;
}

/** What `validate` found. */
export interface Validation {
  file: string;
  valid: boolean;
  name: string | null;
  jobs: number;
  problems: SpecPlace[];
  warnings: SpecPlace[];
  /** Features that are valid, but that this version cannot run. */
  unsupported: SpecPlace[];
  /** What happens when jobs fail; none if the spec is not valid. */
  policies?: SharedPolicy[];
}

/** What is told of a reset besides its result. */
export interface ResetFacts {
  workflowId: number;
  dryRun: boolean;
  /** The command to type next. */
  next: string;
}

/** What is told of decisions besides their result. */
export interface ResolutionFacts {
  workflowId: number;
  /** The command to type next; null if there is none, or a process drives the run already. */
  next: string | null;
}

/** What `simulate` played of one job. */
export interface Simulation {
  job: string;
  /** Its policy in words. */
  policy: string[];
  steps: SimulatedStep[];
  /** What the job is at the end of the steps. */
  status: JobStatus;
  /** Outcomes that were left when the job had ended. */
  unused: string[];
}

/** What `recover` did, or would do. */
export interface RecoveryReport extends Recovery {
  /** The command that helps most from here; null if there is nothing to do. */
  next: string | null;
}

/** One line of `doctor`. */
export interface Check {
  name: string;
  result: 'ok' | 'warn' | 'fail';
  detail: string;
  /** The way out; null when the check is ok. */
  hint: string | null;
}

/**
 * What commands print on stdout: one method per kind of thing, each returning the whole text.
 * `json` prints the records themselves. `quiet` prints ids or names of lists, one a line, and of a
 * single thing its state.
 */
export interface Renderer {
  /** `more`: older workflows that are not in the list. */
  workflows(statuses: WorkflowStatus[], more: number): string;
  status(status: WorkflowStatus): string;
  runResult(result: RunResult): string;
  jobs(jobs: JobRecord[]): string;
  attempts(attempts: AttemptRecord[]): string;
  events(events: EventRecord[]): string;
  /** `decisions`: what people and agents decided about the job and changed of it. */
  explanation(explanation: Explanation, decisions?: EventRecord[]): string;
  /** `next`: the command that helps; null if nothing waits for a decision. */
  failures(groups: ToldGroup[], next: string | null): string;
  decisionStats(stats: DecisionStats[]): string;
  resolution(result: ResolveResult, facts: ResolutionFacts): string;
  usage(jobs: JobUsage[]): string;
  cancellation(result: CancelResult, workflowId: number, dryRun: boolean): string;
  reset(result: ResetResult, facts: ResetFacts): string;
  /** `next`: the command that takes the job up; null if a process drives the run already. */
  manualRetry(job: JobRecord, next: string | null): string;
  recovery(report: RecoveryReport): string;
  validation(validation: Validation): string;
  plan(plan: Plan, all: boolean): string;
  simulation(simulation: Simulation): string;
  workflowSimulation(simulation: WorkflowSimulation): string;
  workers(workers: WorkerRecord[]): string;
  drainedWorker(worker: WorkerRecord): string;
  tokens(tokens: TokenRecord[]): string;
  /** The secret is printed nowhere else. */
  createdToken(token: CreatedToken): string;
  revokedToken(token: TokenRecord): string;
  /** A workflow that a server has taken; `next`: the command that follows it. */
  submission(workflow: WorkflowRecord, next: string): string;
  settings(origins: SettingOrigin[]): string;
  checks(checks: Check[]): string;
}
