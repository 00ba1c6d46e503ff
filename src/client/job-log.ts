import { allPages } from '../contract/all-pages.ts';
import type { Engine } from '../contract/engine.ts';
import { logReader } from '../contract/log-reader.ts';
import type { LogStream } from '../contract/records/log-access.ts';
import type { AttemptRecord } from '../contract/records/records.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Changes } from './changes.ts';
import { jobHasEnded } from './job-state.ts';

const CHUNK_BYTES = 256 * 1024;

export interface LogOptions {
  /** (default: `stdout`) */
  stream?: LogStream;
  /** Continues until the job has ended or waits for a decision (default: true). */
  follow?: boolean;
  /** Only this attempt (default: all of the run, one after another). */
  attempt?: number;
  signal?: AbortSignal;
}

/** Lines of what a job wrote, without their ends. */
export async function* jobLog(
  engine: Engine,
  jobId: number,
  { stream = 'stdout', follow = true, attempt: wanted }: LogOptions,
  changes: Changes,
): AsyncGenerator<string, void> {
  let done: AttemptRecord | null = null;
  while (!changes.isOver) {
    const job = await engine.findJob(jobId);
    const attempts = await allPages((page) =>
      engine.listAttempts(job.workflow_id, { ...page, job: jobId, run_id: job.run_id }),
    );
    const next = nextAttempt(attempts, wanted, done);
    // One that ended before it was started has written nothing, and the next may be there already.
    if (next !== undefined && (next.started_at_ms !== null || next.finished_at_ms !== null)) {
      yield* attemptLines(engine, job.workflow_id, next, { stream, follow }, changes);
      done = next;
      if (wanted !== undefined) return;
    } else if (!follow || jobHasEnded(job.status)) {
      if (wanted === undefined || next !== undefined) return;
      throw new HoldfastError('NO_LOG', { stream, attempt: wanted, job: jobId });
    } else {
      await changes.next();
    }
  }
}

function nextAttempt(
  attempts: readonly AttemptRecord[],
  wanted: number | undefined,
  done: AttemptRecord | null,
): AttemptRecord | undefined {
  if (wanted !== undefined) return attempts.find(({ attempt_id }) => attempt_id === wanted);
  return attempts.find(
    ({ run_id, attempt_id }) =>
      done === null || run_id > done.run_id || (run_id === done.run_id && attempt_id > done.attempt_id),
  );
}

async function* attemptLines(
  engine: Engine,
  workflowId: number,
  attempt: AttemptRecord,
  { stream, follow }: { stream: LogStream; follow: boolean },
  changes: Changes,
): AsyncGenerator<string, void> {
  const read = logReader(engine, workflowId, attempt, stream);
  const decoder = new TextDecoder();
  let offset = 0;
  let rest = '';
  while (!changes.isOver) {
    const chunk = await read(offset, CHUNK_BYTES, { follow });
    if (chunk !== null && chunk.data.length > 0) {
      // What is between was not kept: the two ends are not one line.
      if (chunk.offset > offset) {
        rest += decoder.decode();
        if (rest !== '') yield rest;
        rest = '';
      }
      offset = chunk.offset + chunk.data.length;
      const lines = (rest + decoder.decode(chunk.data, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    } else if (!follow || chunk?.ended !== false) {
      break;
    } else {
      await changes.next();
    }
  }
  rest += decoder.decode();
  if (rest !== '' && !changes.isOver) yield rest;
}
