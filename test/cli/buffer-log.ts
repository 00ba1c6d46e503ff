import type { LogReader } from '../../src/contract/log-reader.ts';

/** A log in memory, read as an engine would have it read; what is before `keptFrom` is gone. */
export function bufferLog(content: string | Buffer, keptFrom = 0): LogReader {
  const bytes = Buffer.from(content);
  return async (offset, limit) => {
    const asked = offset < 0 ? Math.max(0, bytes.length + offset) : Math.min(offset, bytes.length);
    const start = Math.max(asked, keptFrom);
    return {
      run_id: 1,
      attempt_id: 1,
      offset: start,
      data: bytes.subarray(start, start + limit),
      size: bytes.length,
      ended: true,
    };
  };
}

export const noLog: LogReader = async () => null;
