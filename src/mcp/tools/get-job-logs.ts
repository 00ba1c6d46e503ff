import { z } from 'zod';
import { firstPages } from '../../contract/all-pages.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { AttemptRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { type LogExcerpt, type LogLines, readLogEnd, readLogLines } from '../read-log.ts';
import type { Session } from '../session.ts';
import { defineTool, jobArgument, summaryField, workflowIdArgument } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { untrustedText } from '../untrusted-text.ts';

const MOST_LINES = 200;
const MOST_BYTES = 24 * 1024;
const MOST_ATTEMPTS = 10_000;

export const getJobLogs = defineTool({
  name: 'get_job_logs',
  title: 'Read what a job wrote',
  description:
    'Reads stderr (default) or stdout of one attempt of a job: its last lines, or a range from from_line. At most 200 lines and 24 KB per call; next_line says where to continue. Use it when the 50 lines of list_pending_failed_jobs are not enough, for instance to find the first error instead of the last.',
  kind: 'reads',
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    job_id: jobArgument,
    stream: z.enum(['stdout', 'stderr']).default('stderr'),
    attempt_id: z.int().positive().optional().describe('(default: the newest)'),
    run_id: z.int().positive().optional().describe('(default: the newest with attempts)'),
    lines: z.int().min(1).max(MOST_LINES).default(50),
    from_line: z.int().positive().optional().describe('Counted from 1. Without it: the last lines.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    job_id: z.int(),
    run_id: z.int(),
    attempt_id: z.int(),
    stream: z.enum(['stdout', 'stderr']),
    size_bytes: z.number(),
    text: untrustedText,
    next_line: z.int().nullable().describe('With from_line: the line after these; null at the end.'),
  }),
  async run(session, { workflow_id, job_id, stream, attempt_id, run_id, lines, from_line }) {
    const attempt = await findAttempt(session, workflow_id, { job: job_id, attempt_id, run_id });
    const read = logReader(session.engine, workflow_id, attempt, stream);
    const limits = { lines, bytes: MOST_BYTES };
    const log =
      from_line === undefined ? await readLogEnd(read) : await readLogLines(read, from_line, limits);
    const guard = await session.guardFor(workflow_id, [attempt.job_id]);
    const keep = from_line === undefined ? 'end' : 'start';
    const text = guard.mark(log?.text ?? '', { ...limits, keep }, log?.isPart ?? false);
    const place = `${stream} of job ${attempt.job_id}, attempt ${attempt.attempt_id} of run ${attempt.run_id}`;
    return {
      summary: log === undefined ? `There is no ${place}.` : `${place}: ${log.sizeBytes} bytes in all.`,
      workflow_id,
      job_id: attempt.job_id,
      run_id: attempt.run_id,
      attempt_id: attempt.attempt_id,
      stream,
      size_bytes: log?.sizeBytes ?? 0,
      text,
      next_line: nextLine(log, place),
    };
  },
});

function nextLine(log: LogExcerpt | LogLines | undefined, place: string): number | null {
  if (log === undefined || !('nextLine' in log)) return null;
  if (!log.isTooFar) return log.nextLine;
  throw new ToolError({
    code: 'INVALID_ARGUMENT',
    message: `from_line: ${place} is too large to find a line so far down, or its beginning is not kept here`,
    next: 'leave out from_line to read its last lines',
  });
}

async function findAttempt(
  { engine }: Session,
  workflowId: number,
  wanted: { job: number | string; attempt_id: number | undefined; run_id: number | undefined },
): Promise<AttemptRecord> {
  const { job, attempt_id, run_id } = wanted;
  const attempts = await firstPages(
    (page) => engine.listAttempts(workflowId, { ...page, job, ...(run_id !== undefined && { run_id }) }),
    MOST_ATTEMPTS,
  );
  const newest = attempts.at(-1);
  if (newest === undefined) throw new HoldfastError('NO_ATTEMPT', { workflow: workflowId, job });
  if (attempt_id === undefined) return newest;
  const found = attempts.find((each) => each.run_id === newest.run_id && each.attempt_id === attempt_id);
  if (found !== undefined) return found;
  throw new ToolError({
    code: 'INVALID_ARGUMENT',
    message: `attempt_id: job ${newest.job_id} has no attempt ${attempt_id} in run ${newest.run_id}; its newest is ${newest.attempt_id}`,
    next: 'leave out attempt_id for the newest; list_results lists the attempts',
  });
}
