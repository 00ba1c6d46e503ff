import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { timedOut } from '../../core/dag/decide-node.ts';
import { readJobEvents } from '../../core/dag/job-events.ts';
import { type JobTry, triesOf } from '../../core/dag/job-tries.ts';
import type { NodeFacts, NodeOverride } from '../../core/dag/node-facts.ts';
import type { AttemptOutcome } from '../../core/job/attempt-outcome.ts';
import { JOB_REMOVED, outcomeOfReturn, SUBMIT_FAILED } from '../../core/request/dag-return.ts';
import { readPartBlocking } from '../../worker/observe/read-part.ts';
import { readTail } from '../../worker/observe/read-tail.ts';
import type { PostedAttempt } from '../../worker/post/post-step.ts';
import type { DagMacros } from './post-arguments.ts';

const LOG_BYTES = 64 * 1024;

/** Files of a node of a DAG, beside its records. */
export function nodeFiles(directory: string, node: string): { report: string; stderr: string; log: string } {
  const file = (suffix: string) => join(directory, `${node}.${suffix}`);
  return { report: file('report.json'), stderr: file('err'), log: file('log') };
}

/** What a DAG says of the node beside the macros. */
export interface NodeSurroundings {
  /** null: the number follows from the records that are there. */
  run: number | null;
  facts: NodeFacts | null;
  override: NodeOverride;
  /** Attribute of machines that names their site; null: not known. */
  siteAttribute: string | null;
}

/** Of a DAG that says nothing. */
export const NO_SURROUNDINGS: NodeSurroundings = {
  run: null,
  facts: null,
  override: { memory_mb: null, time_limit_sec: null },
  siteAttribute: null,
};

/** The attempt that DAGMan calls a POST script for. What the job's log does not have is not known. */
export async function attemptOfMacros(
  { node, return_code, retry, max_retries }: DagMacros,
  directory: string,
  { run, facts, override, siteAttribute }: NodeSurroundings,
  now: number,
): Promise<PostedAttempt> {
  const files = nodeFiles(directory, node);
  const attempt = retry + 1;
  // The log of a job that was not submitted is that of the attempt before.
  const log = return_code === SUBMIT_FAILED ? '' : await readTail(files.log, LOG_BYTES, readPartBlocking);
  const tried = triesOf(readJobEvents(log)).at(-1) ?? null;
  const isRemoved = return_code === JOB_REMOVED;
  const holdReason = isRemoved ? (tried?.hold_reason ?? null) : null;
  const isTimeout = isRemoved && holdReason === null && /\bPeriodicRemove\b/.test(tried?.removed ?? '');
  const timeLimit = override.time_limit_sec ?? facts?.time_limit_sec ?? null;
  const memory = override.memory_mb ?? facts?.memory_mb ?? null;
  return {
    node,
    run: run ?? nextRun(directory, node, attempt),
    attempt,
    outcome: isTimeout ? timedOut(timeLimit) : outcomeOfReturn(return_code),
    usage: usageOf(tried),
    started_at_ms: tried?.wall_sec == null ? null : now - tried.wall_sec * 1000,
    finished_at_ms: now,
    site: (siteAttribute !== null && tried?.attributes[`MachineAttr${siteAttribute}0`]) || null,
    schedd: hostname(),
    hold_reason: holdReason,
    items: facts?.items ?? [],
    failures_before: retry,
    max_retries,
    memory_bytes: memory === null ? null : memory * 1024 ** 2,
    runtime_ms: timeLimit === null ? null : timeLimit * 1000,
    report_path: files.report,
    stderr_path: files.stderr,
  };
}

function usageOf(tried: JobTry | null): PostedAttempt['usage'] {
  if (tried === null || (tried.cpu_sec === null && tried.memory_mb === null)) return null;
  return { cpu_seconds: tried.cpu_sec ?? 0, peak_rss_bytes: (tried.memory_mb ?? 0) * 1024 ** 2 };
}

/** The run of the newest record, or the next one if the attempt has a record there: a rescue counts retries from 0. */
function nextRun(directory: string, node: string, attempt: number): number {
  const runs = new Map<number, Set<number>>();
  for (const name of listNames(directory)) {
    const match = name.startsWith(`${node}.r`)
      ? /^\.r(\d+)\.a(\d+)\.post\.json$/.exec(name.slice(node.length))
      : null;
    if (match === null) continue;
    const run = Number(match[1]);
    runs.set(run, (runs.get(run) ?? new Set()).add(Number(match[2])));
  }
  const newest = Math.max(1, ...runs.keys());
  const attempts = runs.get(newest) ?? new Set();
  return attempts.has(attempt) || (attempt === 1 && attempts.size > 0) ? newest + 1 : newest;
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** When the newest evidence of the node was written: another attempt writes it anew. */
export function evidenceTime(directory: string, node: string): number {
  const { report, stderr } = nodeFiles(directory, node);
  return Math.max(writtenAt(report), writtenAt(stderr));
}

function writtenAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** What the worker wrote for the post script that this is. */
export function readOutcomeFile(path: string | undefined): AttemptOutcome {
  if (!path) {
    throw new Error(
      'without arguments this is a post script: HOLDFAST_OUTCOME must name the file of an attempt',
    );
  }
  return JSON.parse(readFileSync(path, 'utf8')) as AttemptOutcome;
}

export function attemptOfOutcome(given: AttemptOutcome): PostedAttempt {
  return {
    node: given.node,
    run: given.run,
    attempt: given.attempt,
    outcome: given.outcome,
    usage: given.usage,
    started_at_ms: given.started_at_ms,
    finished_at_ms: given.finished_at_ms,
    site: given.site,
    schedd: null,
    hold_reason: null,
    items: given.items,
    failures_before: given.failures_before,
    max_retries: given.max_retries,
    memory_bytes: given.memory_bytes,
    runtime_ms: given.runtime_ms,
    report_path: given.report,
    stderr_path: given.logs.stderr,
  };
}
