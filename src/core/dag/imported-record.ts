import type { Category } from '../job/outcome.ts';
import type { PostAction, PostRecord } from '../request/post-record.ts';

/** What is known of an attempt of a DAG, whoever wrote the DAG. */
interface KnownAttempt {
  node: string;
  attempt: number;
  failed: boolean;
  final: boolean;
  category: Category | null;
  exit_code: number | null;
  signal: string | null;
  ended_at_ms: number | null;
  site: string | null;
  sentence: string;
  bad_input_files: string[];
  log_tail: string;
}

/** A post record with what is known of the attempt; `now` where nothing says when it ended. */
export function recordOfAttempt(known: KnownAttempt, now: number): PostRecord {
  return {
    node_name: known.node,
    timestamp: new Date(known.ended_at_ms ?? now).toISOString(),
    run: 1,
    attempt: known.attempt,
    max_retries: 0,
    final: known.final || !known.failed,
    job: {
      exit_code: known.exit_code,
      exit_signal: known.signal,
      hold_reason: null,
      wall_time_sec: null,
      cpu_time_sec: null,
      memory_mb: null,
      site: known.site,
      schedd: null,
    },
    report: null,
    cmssw: null,
    classification: {
      category: known.category,
      retryable: known.category !== 'permanent' && known.category !== 'data',
      bad_input_files: known.bad_input_files,
      action: actionOf(known),
      rule: null,
      reason: known.sentence,
    },
    problems: [],
    log_tail: known.log_tail,
  };
}

function actionOf({ failed, final, category, exit_code }: KnownAttempt): PostAction {
  if (!failed) return exit_code === 0 ? 'success' : 'absorbed';
  if (!final) return 'retry';
  return category === 'permanent' || category === 'data' ? 'permanent_failure' : 'retries_exhausted';
}
