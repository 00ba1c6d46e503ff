import {
  LOG_TAIL_BYTES,
  type LogChunk,
  type LogPart,
  type LogQuery,
} from '../../contract/records/log-access.ts';
import { HoldfastError } from '../../core/errors.ts';
import { attemptLogFiles } from '../../core/job/log-files.ts';
import { decodeConfig } from '../../store/rows/jobs/job-rows.ts';
import {
  findAttemptToRead,
  findLog,
  findLoggedAttempt,
  findReader,
  type LoggedAttempt,
  type LogRow,
  putLog,
  putReader,
} from '../../store/rows/logs/log-rows.ts';
import type { Script } from '../../store/script.ts';
import { needJob, needWorkflow } from '../records/needed-rows.ts';
import { readFileRange } from './read-file-range.ts';

const LARGEST_CHUNK = 1024 * 1024;
/** How long a reader who follows is expected to continue. */
const READER_MS = 15_000;

/** Keeps the end of the logs. What the worker never held is left out, without a word: it may have been taken back. */
export function* storeLogs(workerId: number, parts: LogPart[]): Script<void> {
  for (const { token, stream, offset, data } of parts) {
    const attempt = yield* findLoggedAttempt(token);
    if (attempt?.worker_id !== workerId) continue;
    yield* putLog(token, stream, join(yield* findLog(token, stream), { first_byte: offset, data }));
  }
}

/** What is there is gone on with; where there is a gap only what comes after is kept. A late part brings nothing new. */
function join(known: LogRow | undefined, part: LogRow): LogRow {
  const end = part.first_byte + part.data.length;
  if (known !== undefined && end <= known.first_byte + known.data.length) return known;
  const meets =
    known !== undefined &&
    part.first_byte >= known.first_byte &&
    part.first_byte <= known.first_byte + known.data.length;
  const before = meets ? known.data.subarray(0, part.first_byte - known.first_byte) : new Uint8Array();
  const data = Buffer.concat([before, part.data]).subarray(-LOG_TAIL_BYTES);
  return { first_byte: end - data.length, data };
}

/** Where to look for a log: in the store, or in a file on this machine. */
export type FoundLog =
  | { in: 'store'; attempt: LoggedAttempt; log: LogRow | undefined }
  | { in: 'file'; attempt: LoggedAttempt; outputDir: string; path: string };

/**
 * Logs of what workers of a server ran are in the store alone: a file of that name may be another workflow's. Of what DAGMan
 * ran, the store has what the post record kept of stderr.
 */
export function* findLogOf(workflowId: number, query: LogQuery): Script<FoundLog> {
  const workflow = yield* needWorkflow(workflowId);
  const job = yield* needJob(workflowId, query.job);
  const runId = query.run_id ?? workflow.run_id;
  const attempt = yield* findAttemptToRead(job.id, runId, query.attempt_id ?? null);
  if (attempt === undefined) {
    if (query.attempt_id === undefined) {
      throw new HoldfastError('NO_ATTEMPT', { workflow: workflowId, job: job.name });
    }
    throw noLog(query, query.attempt_id);
  }
  const { mode } = decodeConfig(job.config).stdio;
  if (workflow.executor === 'htcondor') {
    return { in: 'store', attempt, log: yield* findLog(attempt.token, query.stream) };
  }
  if (workflow.shared === 1) {
    // A worker sends what both streams wrote to one file as stdout.
    const stream = mode === 'combined' ? 'stdout' : query.stream;
    return { in: 'store', attempt, log: yield* findLog(attempt.token, stream) };
  }
  // What an import brought is in the store; all else of a workflow that runs here is in files.
  const imported = yield* findLog(attempt.token, mode === 'combined' ? 'stdout' : query.stream);
  if (imported !== undefined) return { in: 'store', attempt, log: imported };
  const place = { workflow_id: workflowId, job_id: job.id, run_id: runId, attempt_id: attempt.attempt_id };
  const path = attemptLogFiles(place, mode)[query.stream];
  if (path === null) throw noLog(query, attempt.attempt_id);
  return { in: 'file', attempt, outputDir: workflow.output_dir, path };
}

export async function readFound(found: FoundLog, query: LogQuery): Promise<LogChunk> {
  const { run_id, attempt_id, finished_at } = found.attempt;
  const ended = finished_at !== null;
  const limit = Math.min(Math.max(query.limit ?? LARGEST_CHUNK, 0), LARGEST_CHUNK);
  if (found.in === 'store') {
    const { first_byte, data } = found.log ?? { first_byte: 0, data: new Uint8Array() };
    const size = first_byte + data.length;
    const offset = Math.max(first_byte, firstByte(query.offset ?? 0, size));
    const part = data.subarray(offset - first_byte, offset - first_byte + limit);
    return { run_id, attempt_id, offset, data: part, size, ended };
  }
  const range = await readFileRange(found.outputDir, found.path, (size) => ({
    offset: firstByte(query.offset ?? 0, size),
    limit,
  }));
  if (range === null && ended) throw noLog(query, attempt_id);
  return { run_id, attempt_id, ...(range ?? { offset: 0, data: new Uint8Array(), size: 0 }), ended };
}

/** Notes that the log of a live attempt is being read. True if its worker does not know yet. */
export function* noteReader({ token }: LoggedAttempt, now: number): Script<boolean> {
  const until = yield* findReader(token);
  if (until !== null && until > now + READER_MS / 2) return false;
  yield* putReader(token, now + READER_MS);
  return true;
}

function firstByte(offset: number, size: number): number {
  return Math.min(size, offset < 0 ? Math.max(0, size + offset) : offset);
}

function noLog({ stream, job }: LogQuery, attempt: number): HoldfastError {
  return new HoldfastError('NO_LOG', { stream, attempt, job });
}
