import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { JobRecord, StatusCounts, WorkflowStatus } from '../../contract/records/records.ts';
import { waitingJobs } from '../../views/failure-group.ts';
import { nextHints } from '../../views/hints.ts';
import { routeTrace, type TraceEntry } from '../../views/route-trace.ts';
import {
  FAILURE_STATUSES,
  failureCount,
  mayHaveRecovered,
  type RunResult,
  recoveredJobs,
  type ShownFailure,
  tracedRun,
} from '../../views/run-result.ts';
import type { RunStory } from '../../views/run-story.ts';
import type { Settings } from '../config/settings.ts';
import { tailLines } from '../logs/log-tail.ts';
import { knownSpec } from '../options/known-spec.ts';

/** Kinds of failures. */
const FAILED_SHOWN = 5;
const STDERR_LINES = 5;
const STDERR_BYTES = 16 * 1024;

/** Reads what is shown when `run` ends. */
export async function collectRunResult(
  engine: Engine,
  status: WorkflowStatus,
  output: Settings['output'],
  story: RunStory,
): Promise<RunResult> {
  const { routed, debug } = story;
  const trace = routed && output !== 'quiet' ? await readTrace(engine, status) : [];
  // Only the table has more than the status and the trace.
  if (output !== 'table') return { status, trace, debug, failed: [], recovered: [], hints: [] };
  const failed = await readFailures(engine, status);
  return {
    status,
    trace,
    debug,
    failed,
    recovered: mayHaveRecovered(status) ? await readRecovered(engine, status) : [],
    hints: nextHints(status, failed, knownSpec(status, story)),
  };
}

async function readTrace(engine: Engine, { workflow }: WorkflowStatus): Promise<TraceEntry[]> {
  const events = await allPages((page) => engine.listEvents(workflow.id, page));
  return tracedRun(routeTrace(events.filter(({ run_id }) => run_id === workflow.run_id)));
}

/** One job for each way in which jobs failed: those that wait for a decision first, then the most frequent ones. */
async function readFailures(engine: Engine, { workflow, counts }: WorkflowStatus): Promise<ShownFailure[]> {
  const { id, run_id } = workflow;
  const failed: ShownFailure[] = [];
  for (const { job, alike } of await failuresByKind(engine, id, counts)) {
    const attempts = await allPages((query) => engine.listAttempts(id, { ...query, job: job.id, run_id }));
    const attempt = attempts.at(-1) ?? null;
    const stderr =
      attempt === null
        ? []
        : await tailLines(logReader(engine, id, attempt, 'stderr'), STDERR_LINES, STDERR_BYTES);
    failed.push({ job, attempt, stderr, alike });
  }
  return failed;
}

async function failuresByKind(
  engine: Engine,
  id: number,
  counts: StatusCounts,
): Promise<Pick<ShownFailure, 'job' | 'alike'>[]> {
  const count = failureCount(counts);
  if (count === 0) return [];
  const groups = await engine.listFailures(id, {});
  const byUrgency = [
    ...groups.filter((group) => waitingJobs([group]) > 0),
    ...groups.filter((group) => waitingJobs([group]) === 0),
  ];
  const kinds: Pick<ShownFailure, 'job' | 'alike'>[] = [];
  for (const { jobs } of byUrgency.slice(0, FAILED_SHOWN)) {
    const first = jobs.find(({ status }) => status === 'pending_failed') ?? jobs[0]!;
    const alike = jobs.filter((job) => job !== first).map(({ name }) => name);
    kinds.push({ job: await engine.getJob(id, first.job_id), alike });
  }
  const grouped = new Set(groups.flatMap(({ jobs }) => jobs.map(({ job_id }) => job_id)));
  if (grouped.size < count && kinds.length < FAILED_SHOWN) {
    // What failed without an attempt is like nothing else.
    const all = await engine.listJobs(id, { status: [...FAILURE_STATUSES], limit: 1000 });
    const others = all.items.filter((job) => !grouped.has(job.id));
    kinds.push(...others.slice(0, FAILED_SHOWN - kinds.length).map((job) => ({ job, alike: [] })));
  }
  return kinds;
}

async function readRecovered(engine: Engine, { workflow }: WorkflowStatus): Promise<JobRecord[]> {
  const { id, run_id } = workflow;
  const completed = await allPages((page) => engine.listJobs(id, { ...page, status: ['completed'] }));
  // Jobs that a goto led back to count only what came after it; their attempts have the rest.
  const attempts = completed.some(({ visit }) => visit > 1)
    ? await allPages((page) => engine.listAttempts(id, { ...page, run_id }))
    : [];
  return recoveredJobs(completed, attempts);
}
