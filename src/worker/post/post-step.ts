import { decideNode, type NodePolicy } from '../../core/dag/decide-node.ts';
import type { Outcome } from '../../core/job/outcome.ts';
import type { PostResult } from '../../core/job/post-result.ts';
import {
  type AttemptFacts,
  type ClassifiedAttempt,
  causeOfFailure,
  classifyAttempt,
  type FoundPatterns,
  patternsOf,
} from '../../core/request/classify-attempt.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import { logTail, type PostRecord } from '../../core/request/post-record.ts';
import type { Rulebook } from '../../core/request/request-model.ts';
import { evidenceTail } from '../../core/text/evidence-tail.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import type { ReadsPart } from '../observe/read-part.ts';
import { readTail } from '../observe/read-tail.ts';
import { readReportFile } from './read-report-file.ts';
import type { ReplacesFile } from './replace-file.ts';
import { writePostRecord } from './write-post-record.ts';

/** The attempt that a post step is about, and where its files are. */
export interface PostedAttempt
  extends Pick<
    AttemptFacts,
    'hold_reason' | 'items' | 'failures_before' | 'max_retries' | 'memory_bytes' | 'runtime_ms'
  > {
  node: string;
  run: number;
  attempt: number;
  outcome: Outcome;
  usage: { peak_rss_bytes: number; cpu_seconds: number } | null;
  started_at_ms: number | null;
  finished_at_ms: number;
  site: string | null;
  schedd: string | null;
  report_path: string;
  stderr_path: string;
}

/** Finds patterns (RE2) within a time limit. */
export interface MatchesPatterns {
  match(patterns: string[], text: string): Promise<{ found: string[]; unmatched: string[]; problem: string }>;
}

/** Without a rulebook the built-in judgement applies; `problem`: why it cannot be used. */
export interface UsableRulebook {
  rulebook: Rulebook | null;
  problem: string | null;
}

export interface PostStep {
  attempt: PostedAttempt;
  /** Called for failures only. */
  loadRulebook(): Promise<UsableRulebook>;
  settings: Pick<ErrorSettings, 'unless_exit_code' | 'abort_dag_code'>;
  /** Where the record is written. */
  directory: string;
  matcher: MatchesPatterns;
  /** In a DAG: what the workflow says of the node; null: not known. Absent: the engine decides about retries. */
  policy?: NodePolicy | null;
  /** How files are read and written; absent: without keeping the process from other work. */
  files?: PostFiles;
}

export interface PostFiles {
  read: ReadsPart;
  replace: ReplacesFile;
}

export interface PostStepResult {
  result: PostResult;
  classified: ClassifiedAttempt;
}

export const NO_RULEBOOK: UsableRulebook = { rulebook: null, problem: null };

const TAIL_BYTES = 256 * 1024;
const MOST_MESSAGE_CHARACTERS = 1_000;
const MOST_PROBLEM_CHARACTERS = 2_000;
const SHOWN_PATTERN = 60;

/**
 * Evaluates an attempt by its evidence: outcome, report, stderr and hold reason. Writes the record. A record that cannot
 * be written is a problem of the result, which stands all the same.
 */
export async function runPostStep(step: PostStep): Promise<PostStepResult> {
  const { attempt, settings, directory } = step;
  const problems: string[] = [];
  const { report, problem: unread } = await readReportFile(attempt.report_path, step.files?.read);
  if (unread !== null) problems.push(unread);
  const isFailure = causeOfFailure({ ...attempt, report }) !== null;
  const { rulebook, problem } = isFailure ? await step.loadRulebook() : NO_RULEBOOK;
  if (problem !== null) problems.push(problem);
  const tail = logTail(await readTail(attempt.stderr_path, TAIL_BYTES, step.files?.read));
  const texts = { stderr: tail, message: report?.error_message ?? '', holds: attempt.hold_reason ?? '' };
  const policy = step.policy ?? null;
  const found = await findPatterns(
    patternsOf(rulebook, policy?.handler?.rules),
    texts,
    step.matcher,
    problems,
  );
  const facts = { ...attempt, report, found };
  const classified =
    policy === null ? classifyAttempt(facts, rulebook, settings) : decideNode(facts, rulebook, policy);
  const record = recordOf(attempt, classified, report, problems, tail);
  const unwritten = await writePostRecord(directory, record, step.files?.replace);
  if (unwritten !== null) problems.push(unwritten);
  const result = resultOf(classified, report, problems);
  return { classified, result: { ...result, log_tail: isFailure ? evidenceTail(tail) || null : null } };
}

async function findPatterns(
  patterns: { [K in keyof FoundPatterns]: string[] },
  texts: Record<keyof FoundPatterns, string>,
  matcher: MatchesPatterns,
  problems: string[],
): Promise<FoundPatterns> {
  const find = async (key: keyof FoundPatterns): Promise<string[]> => {
    if (patterns[key].length === 0 || texts[key] === '') return [];
    const { found, unmatched, problem } = await matcher.match(patterns[key], texts[key]);
    const [first, ...others] = unmatched;
    if (first !== undefined) {
      const more = others.length === 0 ? '' : ` (${others.length} more not tried)`;
      problems.push(
        `${key}: the pattern ${JSON.stringify(harmlessLine(first, SHOWN_PATTERN))} ${problem}${more}`,
      );
    }
    return found;
  };
  return { stderr: await find('stderr'), message: await find('message'), holds: await find('holds') };
}

function recordOf(
  attempt: PostedAttempt,
  { classification, final }: ClassifiedAttempt,
  report: AttemptFacts['report'],
  problems: readonly string[],
  tail: string,
): PostRecord {
  const { outcome, usage, started_at_ms: startedAt, finished_at_ms: finishedAt } = attempt;
  return {
    node_name: attempt.node,
    timestamp: new Date(finishedAt).toISOString(),
    run: attempt.run,
    attempt: attempt.attempt,
    max_retries: attempt.max_retries,
    final,
    job: {
      exit_code: outcome.exit_code,
      exit_signal: outcome.signal,
      hold_reason: attempt.hold_reason,
      wall_time_sec: startedAt === null ? null : Math.max(0, finishedAt - startedAt) / 1000,
      cpu_time_sec: usage?.cpu_seconds ?? null,
      memory_mb: usage === null ? null : Math.round((usage.peak_rss_bytes / 1024 ** 2) * 10) / 10,
      site: attempt.site,
      schedd: attempt.schedd,
    },
    report,
    cmssw: report,
    classification,
    problems: [...problems],
    log_tail: tail,
  };
}

function resultOf(
  classified: ClassifiedAttempt,
  report: AttemptFacts['report'],
  problems: readonly string[],
): Omit<PostResult, 'log_tail'> {
  const { exit_code, classification, bad_inputs, memory_bytes, runtime_ms, delay_ms, sentence } = classified;
  const message = report?.error_message ?? null;
  return {
    exit_code,
    category: classification.category,
    bad_inputs,
    memory_bytes,
    runtime_ms,
    delay_ms,
    reason: sentence,
    report_code: report?.exit_code ?? null,
    message: message === null ? null : harmlessLine(message, MOST_MESSAGE_CHARACTERS),
    problem: problems.length === 0 ? null : harmlessLine(problems.join('; '), MOST_PROBLEM_CHARACTERS),
  };
}
