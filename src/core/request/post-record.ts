import type { Category } from '../job/outcome.ts';
import type { JobReport } from './job-report.ts';

/** What follows from an attempt. `absorbed`: it failed, and a rule accepts that. */
export type PostAction =
  | 'success'
  | 'absorbed'
  | 'retry'
  | 'permanent_failure'
  | 'retries_exhausted'
  | 'abort';

export interface Classification {
  /** null: it succeeded. */
  category: Category | null;
  /** A retry may help; whether one is left is another question. */
  retryable: boolean;
  bad_input_files: string[];
  action: PostAction;
  /** Position of the rule in the rulebook, from 1; null: no rule matched. */
  rule: number | null;
  reason: string;
}

/** How the attempt ran, as far as it is known. */
export interface PostJob {
  exit_code: number | null;
  exit_signal: string | null;
  hold_reason: string | null;
  wall_time_sec: number | null;
  cpu_time_sec: number | null;
  memory_mb: number | null;
  site: string | null;
  schedd: string | null;
}

/** The post step's file about one attempt: what the second level of error handling, and people, read. */
export interface PostRecord {
  node_name: string;
  /** When the attempt ended, in ISO 8601. */
  timestamp: string;
  run: number;
  /** From 1 in each run. */
  attempt: number;
  max_retries: number;
  /** No attempt follows in this run: it succeeded, failed permanently, or has no retry left. */
  final: boolean;
  job: PostJob;
  /** Two names for the same report; null without one. */
  report: JobReport | null;
  cmssw: JobReport | null;
  classification: Classification;
  /** What could not be read or evaluated. */
  problems: string[];
  /** The last lines of stderr. */
  log_tail: string;
}

/** So many lines of stderr are looked at, and kept. */
export const LOG_TAIL_LINES = 200;

/** The end of a log; a newline at its end begins no line. */
export function logTail(text: string): string {
  return text.replace(/\n$/, '').split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/** Names of the files of a node: the record of one attempt, and the copy of the newest. */
export function recordFiles({ node_name, run, attempt }: Pick<PostRecord, 'node_name' | 'run' | 'attempt'>): {
  own: string;
  newest: string;
} {
  return { own: `${node_name}.r${run}.a${attempt}.post.json`, newest: `${node_name}.post.json` };
}

/** Why a node cannot have files of this name; null if it can. */
export function nodeNameProblem(name: string): string | null {
  if (name === '' || name === '.' || name === '..' || /[/\\\x00-\x1f\x7f]/.test(name)) {
    return `${JSON.stringify(name)} is not a name of a node: it must be a file name without a path`;
  }
  return name.length > 200 ? 'the name of the node is longer than 200 characters' : null;
}
