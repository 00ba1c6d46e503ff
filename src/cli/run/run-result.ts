import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { JobRecord, StatusCounts, WorkflowStatus } from '../../contract/records/records.ts';
import type { FailureSummary } from '../../contract/records/resolution.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
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
/** Names of jobs that failed alike, besides the one that is shown. */
const ALIKE_SHOWN = 10;
const STDERR_LINES = 5;
const STDERR_BYTES = 16 * 1024;

type FailureKind = Pick<ShownFailure, 'job' | 'jobs' | 'alike'>;

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
  for (const kind of await failuresByKind(engine, id, counts)) {
    const attempts = await allPages((page) => engine.listAttempts(id, { ...page, job: kind.job.id, run_id }));
    const attempt = attempts.at(-1) ?? null;
    const stderr =
      attempt === null
        ? []
        : await tailLines(logReader(engine, id, attempt, 'stderr'), STDERR_LINES, STDERR_BYTES);
    failed.push({ ...kind, attempt, stderr });
  }
  return failed;
}

/** Counts and some jobs of each kind are read, however many jobs failed. */
async function failuresByKind(engine: Engine, id: number, counts: StatusCounts): Promise<FailureKind[]> {
  const count = failureCount(counts);
  if (count === 0) return [];
  const waiting =
    counts.pending_failed === 0
      ? []
      : (await engine.summarizeFailures(id, { status: ['pending_failed'], limit: FAILED_SHOWN })).groups;
  const { groups, more } = await engine.summarizeFailures(id, {});
  const prints = new Set(waiting.map(({ fingerprint }) => fingerprint));
  const byUrgency = [
    // Others may have failed for good in the same way.
    ...waiting.map((group) => groups.find(({ fingerprint }) => fingerprint === group.fingerprint) ?? group),
    ...groups.filter(({ fingerprint }) => !prints.has(fingerprint)),
  ];
  const kinds: FailureKind[] = [];
  for (const group of byUrgency.slice(0, FAILED_SHOWN)) kinds.push(await kindOf(engine, id, group));
  const grouped = groups.reduce((sum, { jobs }) => sum + jobs, 0);
  const room = FAILED_SHOWN - kinds.length;
  if (!more && grouped < count && room > 0) kinds.push(...(await unattempted(engine, id, room)));
  return kinds;
}

async function kindOf(
  engine: Engine,
  id: number,
  { fingerprint, jobs, waiting }: FailureSummary,
): Promise<FailureKind> {
  const listed = async (status: readonly JobStatus[]) =>
    (await engine.listFailures(id, { fingerprint, status: [...status], limit: ALIKE_SHOWN + 1 })).flatMap(
      (group) => group.jobs,
    );
  const some = await listed(FAILURE_STATUSES);
  const [first] = waiting > 0 ? await listed(['pending_failed']) : some;
  return {
    job: await engine.getJob(id, first!.job_id),
    jobs,
    alike: some.filter(({ job_id }) => job_id !== first!.job_id).map(({ name }) => name),
  };
}

/** What failed without an attempt is like nothing else. */
async function unattempted(engine: Engine, id: number, most: number): Promise<FailureKind[]> {
  const { items } = await engine.listJobs(id, { status: [...FAILURE_STATUSES], limit: 1000 });
  const found: FailureKind[] = [];
  for (const job of items) {
    if (found.length === most) break;
    if (job.failure_count + job.preemption_count > 0) continue;
    const attempts = await allPages((page) => engine.listAttempts(id, { ...page, job: job.id }));
    if (attempts.every(({ cause }) => cause === null)) found.push({ job, jobs: 1, alike: [] });
  }
  return found;
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
