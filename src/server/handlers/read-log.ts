import { Readable } from 'node:stream';
import type { endpoints } from '../../contract/endpoints.ts';
import type { LogChunk, LogQuery } from '../../contract/records/log-access.ts';
import { LOG_HEADERS } from '../../contract/request-headers.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { LARGEST_PIECE, type MaskedLogs } from '../mask/log-reader.ts';
import { readRange } from '../requests/byte-range.ts';
import type { Call } from './handler.ts';

/** A file that grows notifies nobody. */
const LOOK_MS = 500;

export interface LogSource {
  logs: MaskedLogs;
  changes: ChangeFeed;
  /** Whether the caller may still read. */
  isStillValid: () => Promise<boolean>;
}

type LogCall = Call<typeof endpoints.readLog>;

/** One piece, a range, the whole as it is now, or the whole until the attempt has ended. */
export async function readLog({ logs, changes, isStillValid }: LogSource, call: LogCall): Promise<unknown> {
  const { params, query, request, reply, signal } = call;
  const { limit, live, follow, offset, ...which } = query;
  const asked: LogQuery = { job: params.job, stream: params.stream, ...which };
  const read = (more: Partial<LogQuery>) => logs.read(params.workflow_id, { ...asked, ...more });
  void reply.type('application/octet-stream');

  if (limit !== undefined || live === true) {
    const more = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
    return sendHead(call, await read({ ...more, ...(live === true && { follow: true }) }));
  }
  const range = follow === true || offset !== undefined ? null : readRange(request.headers.range);
  void reply.header('accept-ranges', 'bytes');
  const first = await read({
    offset: range?.from ?? offset ?? 0,
    ...(range?.to != null && { limit: Math.min(range.to - range.from + 1, LARGEST_PIECE) }),
    ...(follow === true && { follow: true }),
  });
  sendHead(call, first);
  // The newest attempt may become another one while this one is read.
  const same = { run_id: first.run_id, attempt_id: first.attempt_id };
  if (follow === true) return Readable.from(following(first, same, read, { changes, isStillValid, signal }));
  const end = Math.min(first.size, (range?.to ?? Number.MAX_SAFE_INTEGER) + 1);
  if (range !== null && first.offset >= end) {
    return reply.code(416).header('content-range', `bytes */${first.size}`).send();
  }
  if (range !== null) {
    void reply.code(206).header('content-range', `bytes ${first.offset}-${end - 1}/${first.size}`);
  }
  if (first.offset + first.data.length >= end) return Buffer.from(first.data);
  return Readable.from(upTo(end, first, same, read, signal));
}

function sendHead({ reply }: LogCall, chunk: LogChunk): Buffer {
  void reply.headers({
    [LOG_HEADERS.runId]: chunk.run_id,
    [LOG_HEADERS.attemptId]: chunk.attempt_id,
    [LOG_HEADERS.offset]: chunk.offset,
    [LOG_HEADERS.size]: chunk.size,
    [LOG_HEADERS.ended]: String(chunk.ended),
  });
  return Buffer.from(chunk.data);
}

type Read = (more: Partial<LogQuery>) => Promise<LogChunk>;
type Attempt = Required<Pick<LogQuery, 'run_id' | 'attempt_id'>>;

async function* upTo(
  end: number,
  first: LogChunk,
  same: Attempt,
  read: Read,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let chunk = first;
  while (chunk.data.length > 0 && !signal.aborted) {
    yield chunk.data;
    const offset = chunk.offset + chunk.data.length;
    if (offset >= end) return;
    chunk = await read({ ...same, offset, limit: Math.min(end - offset, LARGEST_PIECE) });
  }
}

async function* following(
  first: LogChunk,
  same: Attempt,
  read: Read,
  { changes, isStillValid, signal }: Pick<LogSource, 'changes' | 'isStillValid'> & { signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let chunk = first;
  for (;;) {
    const seen = changes.version;
    if (chunk.data.length > 0) yield chunk.data;
    const offset = chunk.offset + chunk.data.length;
    if (signal.aborted || (chunk.ended && offset >= chunk.size)) return;
    if (chunk.data.length === 0) await changes.waitFor(seen, LOOK_MS, signal);
    if (signal.aborted || !(await isStillValid())) return;
    chunk = await read({ ...same, offset, follow: true });
  }
}
