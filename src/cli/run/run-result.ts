import type { Engine } from '../../core/engine.ts';
import type { JobRecord, WorkflowStatus } from '../../core/records.ts';
import { allPages } from '../all-pages.ts';
import type { CommandContext } from '../command-context.ts';
import { readTail } from '../logs/log-file.ts';
import type { FailedJob, RunResult } from '../output/renderer.ts';

const FAILED_SHOWN = 10;
const STDERR_LINES = 5;
const STDERR_BYTES = 16 * 1024;

/** What a person wants to know when `run` ends. */
export async function collectRunResult(
  engine: Engine,
  status: WorkflowStatus,
  context: Pick<CommandContext, 'command' | 'settings'>,
): Promise<RunResult> {
  // Only the table tells more than the status.
  if (context.settings.output !== 'table') return { status, failed: [], recovered: [], next: null };
  const { id, run_id } = status.workflow;
  const page = await engine.listJobs(id, { statuses: ['failed', 'terminated'], limit: FAILED_SHOWN });
  const failed: FailedJob[] = [];
  for (const job of page.items) {
    const attempts = await allPages((query) => engine.listAttempts(id, { ...query, job: job.id, run_id }));
    const attempt = attempts.at(-1) ?? null;
    failed.push({
      job,
      attempt,
      stderr: attempt === null ? [] : readTail(attempt.stderr_path, STDERR_LINES, STDERR_BYTES),
    });
  }
  return {
    status,
    failed,
    recovered: await recoveredJobs(engine, status),
    next: nextCommand(status, failed, context),
  };
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
  return completed.filter((job) => job.failure_count + job.preemption_count > 0);
}

function nextCommand(
  { workflow, complete }: WorkflowStatus,
  failed: FailedJob[],
  { command }: Pick<CommandContext, 'command'>,
): string | null {
  if (!complete) return `${command('run', workflow.id)}  (goes on where it stopped)`;
  return failed.length > 0 ? command('explain', workflow.id, failed[0]!.job.name) : null;
}
