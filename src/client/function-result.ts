import { allPages } from '../contract/all-pages.ts';
import type { Engine } from '../contract/engine.ts';
import type { AttemptRecord, JobDetails } from '../contract/records/records.ts';
import { isFunctionCommand, OUTPUT_NAME } from './function-job.ts';

const MESSAGE_BYTES = 16 * 1024;

export interface FunctionResult {
  output: unknown;
  error: string | null;
}

/** What a function that was submitted returned, or the exception that its newest attempt ended with. */
export async function functionResult(
  engine: Engine,
  job: Pick<JobDetails, 'id' | 'workflow_id' | 'status' | 'config'>,
  newest: AttemptRecord | undefined,
): Promise<FunctionResult> {
  const error = newest?.error ?? null;
  if (!isFunctionCommand(job.config.command)) return { output: null, error };
  if (job.status === 'completed') {
    const values = await allPages((page) => engine.listUserData(job.workflow_id, page));
    return { output: values.find(({ name }) => name === OUTPUT_NAME)?.data ?? null, error };
  }
  if (newest === undefined || newest.cause !== 'exit') return { output: null, error };
  return { output: null, error: (await exceptionOf(engine, job, newest)) ?? error };
}

async function exceptionOf(
  engine: Engine,
  { id, workflow_id }: Pick<JobDetails, 'id' | 'workflow_id'>,
  { run_id, attempt_id }: AttemptRecord,
): Promise<string | null> {
  const stderr = { job: id, run_id, attempt_id, stream: 'stderr', offset: -MESSAGE_BYTES } as const;
  const chunk = await engine.readLog(workflow_id, stderr).catch(() => null);
  const lines = new TextDecoder().decode(chunk?.data).trimEnd().split('\n');
  const from = lines.findLastIndex((line) => /^\S/.test(line));
  return from < 0
    ? null
    : lines
        .slice(from)
        .join('\n')
        .replace(/\n {2}/g, '\n');
}
