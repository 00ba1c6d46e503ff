import { allPages } from '../../core/all-pages.ts';
import type { Engine } from '../../core/engine.ts';
import { jobLabel } from '../../core/job-label.ts';
import { logReader } from '../../core/log-reader.ts';
import type { JobRecord, WorkflowRecord, WorkflowStatus } from '../../core/records.ts';
import type { CommandContext } from '../command-context.ts';
import { tailLines } from '../logs/log-tail.ts';
import type { FailedJob, RunResult } from '../output/renderer.ts';
import { TOLD_STATUSES } from '../output/run-result-text.ts';
import { routeTrace, type TraceEntry } from './route-trace.ts';
import type { RunStory } from './run-story.ts';

const FAILED_SHOWN = 10;
const STDERR_LINES = 5;
const STDERR_BYTES = 16 * 1024;

/** What a person wants to know when `run` ends. */
export async function collectRunResult(
  engine: Engine,
  status: WorkflowStatus,
  context: Pick<CommandContext, 'command' | 'settings'>,
  { routed, debug }: RunStory,
): Promise<RunResult> {
  const { output } = context.settings;
  const trace = routed && output !== 'quiet' ? await readTrace(engine, status) : [];
  // Only the table tells more than the status and the trace.
  if (output !== 'table') return { status, trace, debug, failed: [], recovered: [], next: null };
  const { id, run_id } = status.workflow;
  const failed: FailedJob[] = [];
  for (const job of await toldJobs(engine, id)) {
    const attempts = await allPages((query) => engine.listAttempts(id, { ...query, job: job.id, run_id }));
    const attempt = attempts.at(-1) ?? null;
    const stderr =
      attempt === null
        ? []
        : await tailLines(logReader(engine, id, attempt, 'stderr'), STDERR_LINES, STDERR_BYTES);
    failed.push({ job, attempt, stderr });
  }
  return {
    status,
    trace,
    debug,
    failed,
    recovered: await recoveredJobs(engine, status),
    next: nextCommand(status, failed, context),
  };
}

async function readTrace(engine: Engine, { workflow }: WorkflowStatus): Promise<TraceEntry[]> {
  const events = await allPages((page) => engine.listEvents(workflow.id, page));
  const trace = routeTrace(events.filter(({ run_id }) => run_id === workflow.run_id));
  // Failures alone are no story of routes.
  return trace.some(({ route }) => route !== 'failure') ? trace : [];
}

async function toldJobs(engine: Engine, id: number): Promise<JobRecord[]> {
  const jobs: JobRecord[] = [];
  for (const each of TOLD_STATUSES) {
    const limit = FAILED_SHOWN - jobs.length;
    if (limit > 0) jobs.push(...(await engine.listJobs(id, { statuses: [each], limit })).items);
  }
  return jobs;
}

async function recoveredJobs(
  engine: Engine,
  { workflow, counts, attempts }: WorkflowStatus,
): Promise<JobRecord[]> {
  // As many attempts as completed jobs: every one succeeded at once.
  if (counts.completed === 0 || attempts.finished <= counts.completed) return [];
  const completed = await allPages((page) =>
    engine.listJobs(workflow.id, { ...page, statuses: ['completed'] }),
  );
  const failed = completed.some(({ visit }) => visit > 1) ? await failedJobs(engine, workflow) : null;
  return completed.filter((job) => job.failure_count + job.preemption_count > 0 || failed?.has(job.id));
}

/** Jobs that a goto led back to count only what came after it; their attempts tell the rest. */
async function failedJobs(engine: Engine, { id, run_id }: WorkflowRecord): Promise<Set<number>> {
  const attempts = await allPages((page) => engine.listAttempts(id, { ...page, run_id }));
  return new Set(
    attempts
      .filter(({ state }) => state === 'FAILED' || state === 'WORKER_FAILED')
      .map(({ job_id }) => job_id),
  );
}

function nextCommand(
  { workflow, complete, exit_code, counts }: WorkflowStatus,
  failed: FailedJob[],
  { command }: Pick<CommandContext, 'command'>,
): string | null {
  if (exit_code === 3) {
    const [look, decide, goOn] = (['failures', 'resolve', 'run'] as const).map((word) =>
      command(word, workflow.id),
    ) as [string, string, string];
    const width = look.length + 2;
    const waits = counts.pending_failed === 1 ? 'job waits' : 'jobs wait';
    return [
      `${counts.pending_failed} ${waits} for a decision`,
      `  ${look.padEnd(width)}what failed, and how`,
      `  ${decide.padEnd(width)}try again or give up`,
      `  ${goOn.padEnd(width)}go on after that`,
    ].join('\n');
  }
  if (!complete) return `${command('run', workflow.id)}  (goes on where it stopped)`;
  return failed.length > 0 ? command('explain', workflow.id, jobLabel(failed[0]!.job)) : null;
}
