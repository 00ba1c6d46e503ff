import type { CancelResult } from '../../core/engine.ts';
import type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobRecord,
  WorkflowStatus,
} from '../../core/records.ts';
import type { SettingOrigin } from '../config/resolve-settings.ts';
import type { Plan } from '../graph/plan.ts';

/** A job that ended without success, with what helps to see why. */
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
  /** The first of the failed jobs. */
  failed: FailedJob[];
  /** Completed jobs of which an attempt had failed or was lost. */
  recovered: JobRecord[];
  /** The command that helps most from here; null if there is nothing to do. */
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
  explanation(explanation: Explanation): string;
  cancellation(result: CancelResult, workflowId: number, dryRun: boolean): string;
  validation(validation: Validation): string;
  plan(plan: Plan, all: boolean): string;
  settings(origins: SettingOrigin[]): string;
  checks(checks: Check[]): string;
}
