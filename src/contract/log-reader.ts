import { HoldfastError } from '../core/errors.ts';
import type { Engine } from './engine.ts';
import type { LogChunk, LogStream } from './records/log-access.ts';

/** Reads a piece of one log; null if there is no such log, or not yet. Negative offsets count from its end. */
export type LogReader = (
  offset: number,
  limit: number,
  more?: { follow: boolean },
) => Promise<LogChunk | null>;

/** Where the attempt ran does not matter: the engine finds its log. */
export function logReader(
  engine: Pick<Engine, 'readLog'>,
  workflowId: number,
  { job_id, run_id, attempt_id }: { job_id: number; run_id: number; attempt_id: number },
  stream: LogStream,
): LogReader {
  return async (offset, limit, { follow } = { follow: false }) => {
    const query = { job: job_id, run_id, attempt_id, stream, offset, limit };
    try {
      return await engine.readLog(workflowId, follow ? { ...query, follow } : query);
    } catch (error) {
      if (error instanceof HoldfastError && ['NO_LOG', 'NO_ATTEMPT'].includes(error.code)) return null;
      throw error;
    }
  };
}
