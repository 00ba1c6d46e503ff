import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import { LOG_STREAMS } from '../../contract/records/log-access.ts';
import type { AttemptRecord } from '../../contract/records/records.ts';
import type { BundleMask } from './bundle-mask.ts';
import { safeName } from './tar-entry.ts';

export interface LogLimits {
  /** The end of each log, in bytes. */
  log: number;
  /** All logs together. */
  total: number;
}

export interface BundleFile {
  name: string;
  data: Uint8Array;
}

/** How many logs were left out, because there was no room for them, and how many of the others are not whole. */
export interface LogCounts {
  logs: number;
  cut: number;
  left_out: number;
}

const FAILED: ReadonlySet<AttemptRecord['state']> = new Set(['FAILED', 'WORKER_FAILED']);
const LARGEST_CHUNK = 1024 * 1024;

export function isFailed({ state }: AttemptRecord): boolean {
  return FAILED.has(state);
}

/** Logs of failed attempts, the newest first, as long as there is room. */
export async function* collectLogs(
  engine: Engine,
  workflowId: number,
  attempts: readonly AttemptRecord[],
  mask: BundleMask,
  limits: LogLimits,
  counts: LogCounts,
): AsyncGenerator<BundleFile> {
  let room = limits.total;
  for (const attempt of attempts.toReversed()) {
    const { job_id, run_id, attempt_id, job_name } = attempt;
    const isOneFile = attempt.stdout_path === attempt.stderr_path;
    for (const stream of LOG_STREAMS) {
      if (isOneFile && stream === 'stderr') continue;
      if (room <= 0) {
        counts.left_out += 1;
        continue;
      }
      const end = await readEnd(engine, workflowId, attempt, stream, Math.min(limits.log, room));
      if (end === null || end.data.length === 0) continue;
      room -= end.data.length;
      counts.logs += 1;
      if (end.offset > 0) counts.cut += 1;
      yield {
        name: `logs/${job_id}-${safeName(job_name)}.r${run_id}.a${attempt_id}.${stream}`,
        data: mask.log(end.data, end.offset > 0),
      };
    }
  }
}

async function readEnd(
  engine: Engine,
  workflowId: number,
  attempt: AttemptRecord,
  stream: (typeof LOG_STREAMS)[number],
  most: number,
): Promise<{ offset: number; data: Buffer } | null> {
  const read = logReader(engine, workflowId, attempt, stream);
  const first = await read(-most, Math.min(most, LARGEST_CHUNK));
  if (first === null) return null;
  const pieces = [first.data];
  let next = first.offset + first.data.length;
  const end = first.size;
  while (next < end) {
    const piece = await read(next, Math.min(end - next, LARGEST_CHUNK));
    if (piece === null || piece.data.length === 0) break;
    pieces.push(piece.data);
    next = piece.offset + piece.data.length;
  }
  return { offset: first.offset, data: Buffer.concat(pieces) };
}
