import { fingerprint } from '../job/fingerprint.ts';
import { causeOf, matchCode, type Outcome } from '../job/outcome.ts';
import type { PostResult } from '../job/post-result.ts';
import type { Decision, Verdict } from '../policy/decision.ts';
import type { ErrorSettings } from '../request/error-settings.ts';
import type { PostAction, PostRecord } from '../request/post-record.ts';
import { outcomeOfRecord } from './record-outcome.ts';

/** An attempt that DAGMan ran, in the words in which a worker reports one. */
export interface RecordedAttempt {
  outcome: Outcome;
  started_at_ms: number | null;
  finished_at_ms: number;
  usage: { peak_rss_bytes: number; cpu_seconds: number } | null;
  post: PostResult;
  fingerprint: string | null;
}

type PostCodes = Pick<ErrorSettings, 'unless_exit_code' | 'abort_dag_code'>;

export function attemptOfRecord(record: PostRecord, codes: PostCodes): RecordedAttempt {
  const { job, classification, report, log_tail } = record;
  const outcome = outcomeOfRecord(record);
  const cause = causeOf(outcome);
  const finished = Date.parse(record.timestamp);
  const isSuccess = classification.action === 'success';
  return {
    outcome,
    started_at_ms: job.wall_time_sec === null ? finished : finished - Math.round(job.wall_time_sec * 1000),
    finished_at_ms: finished,
    usage:
      job.cpu_time_sec === null && job.memory_mb === null
        ? null
        : {
            peak_rss_bytes: Math.round((job.memory_mb ?? 0) * 1024 ** 2),
            cpu_seconds: job.cpu_time_sec ?? 0,
          },
    post: {
      exit_code: exitCodeOf(classification.action, codes),
      category: classification.category,
      bad_inputs: classification.bad_input_files,
      // DAGMan has taken them from the file of the node.
      memory_bytes: null,
      runtime_ms: null,
      delay_ms: null,
      reason: classification.reason,
      report_code: report?.exit_code ?? null,
      message: report?.error_message ?? null,
      problem: record.problems.length === 0 ? null : record.problems.join('; '),
      log_tail: isSuccess || log_tail === '' ? null : log_tail,
    },
    fingerprint: cause === null ? null : fingerprint(cause, matchCode(outcome), log_tail),
  };
}

function exitCodeOf(action: PostAction, { unless_exit_code, abort_dag_code }: PostCodes): number {
  switch (action) {
    case 'success':
    case 'absorbed':
      return 0;
    case 'permanent_failure':
      return unless_exit_code;
    case 'abort':
      return abort_dag_code;
    default:
      return 1;
  }
}

/**
 * The decision about an attempt that DAGMan has acted on already. The failure path gives the same verdict unless the
 * spec or the record says something that it cannot know; what DAGMan did is what holds then. A retry has been made, so
 * that it waits for nothing. A failure that fails nothing else (`continueOnFailure`) is a success for DAGMan alone.
 */
export function asDagmanDecided(
  decision: Decision,
  record: PostRecord,
  continueOnFailure: boolean,
): Decision {
  const { action, reason, category } = record.classification;
  const finished = Date.parse(record.timestamp);
  const wanted = verdictOf(action, finished);
  const isSame = wanted.kind === decision.verdict.kind;
  if (isSame && wanted.kind !== 'retry') return decision;
  if (continueOnFailure && action === 'absorbed' && decision.verdict.kind === 'fail') return decision;
  const common = {
    ...decision,
    verdict: wanted,
    notBefore: null,
    recoveryScript: null,
    recoveryTimeoutMs: null,
  };
  if (isSame) return { ...common, status: 'ready' };
  const because = `DAGMan: ${reason}`;
  const walk = [...decision.walk, { rule: 'post' as const, applies: true, because }];
  const decided = { ...common, rule: 'post' as const, reason: because, walk, category };
  if (wanted.kind === 'complete') return { ...decided, status: 'completed', succeeded: true, charge: null };
  const status = wanted.kind === 'retry' ? 'ready' : 'failed';
  return { ...decided, status, succeeded: false, charge: 'failure' };
}

function verdictOf(action: PostAction, finished: number): Verdict {
  switch (action) {
    case 'success':
    case 'absorbed':
      return { kind: 'complete' };
    case 'retry':
      return { kind: 'retry', notBefore: finished, run: [] };
    case 'abort':
      return { kind: 'abort', status: 'failed' };
    default:
      return { kind: 'fail', status: 'failed' };
  }
}

/** A record about a node of which DAGMan says how it ended, and nothing says why. */
export function recordWithoutEvidence(
  node: { node_name: string; run: number; attempt: number },
  succeeded: boolean,
  at: number,
): PostRecord {
  return {
    ...node,
    timestamp: new Date(at).toISOString(),
    max_retries: 0,
    final: true,
    job: {
      exit_code: succeeded ? 0 : null,
      exit_signal: null,
      hold_reason: null,
      wall_time_sec: null,
      cpu_time_sec: null,
      memory_mb: null,
      site: null,
      schedd: null,
    },
    report: null,
    cmssw: null,
    classification: {
      category: succeeded ? null : 'transient',
      retryable: !succeeded,
      bad_input_files: [],
      action: succeeded ? 'success' : 'retries_exhausted',
      rule: null,
      reason: succeeded
        ? 'DAGMan lists it as done; there is no post record'
        : 'DAGMan lists its unit as failed, and no post record says why',
    },
    problems: ['no post record'],
    log_tail: '',
  };
}
