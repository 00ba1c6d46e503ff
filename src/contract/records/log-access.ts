import type { JobRef } from '../../core/job/job-ref.ts';

export const LOG_STREAMS = ['stdout', 'stderr'] as const;
export type LogStream = (typeof LOG_STREAMS)[number];

/** The most of each log that reaches a server. */
export const LOG_TAIL_BYTES = 256 * 1024;

/** A piece of a log as a worker sends it; pieces overlap or leave gaps where the worker says so. */
export interface LogPart {
  token: number;
  stream: LogStream;
  /** Where in the whole log the data begins. */
  offset: number;
  data: Uint8Array;
}

export interface LogQuery {
  job: JobRef;
  stream: LogStream;
  /** (default: the current run) */
  run_id?: number;
  /** (default: the newest) */
  attempt_id?: number;
  /** First byte; negative: so many before the end (default: 0). */
  offset?: number;
  /** At most 1 MiB, which is also the default. */
  limit?: number;
  /** The reader follows: ask the worker for more. */
  follow?: boolean;
}

export interface LogChunk {
  run_id: number;
  attempt_id: number;
  /** Where the data begins: later than asked for if the beginning is not kept. */
  offset: number;
  data: Uint8Array;
  /** How long the log is as far as is known. */
  size: number;
  /** Nothing will be added. */
  ended: boolean;
}
