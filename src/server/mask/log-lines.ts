import type { FastifyServerOptions } from 'fastify';

type LoggerOptions = Exclude<NonNullable<FastifyServerOptions['logger']>, boolean>;

/** Where lines go. */
export interface LineTarget {
  write(line: string): void;
}

const TOKEN = /hf_[\w-]{8,}/g;

/**
 * Lines of JSON. Whatever reaches the log, by a path, a header or an error, no token leaves through it: each line is
 * looked at once more before it is written.
 */
export function logOptions(target: LineTarget, level: string): LoggerOptions {
  return {
    level,
    stream: { write: (line: string) => target.write(line.replace(TOKEN, 'hf_***')) },
    redact: ['req.headers.authorization', 'req.headers.cookie'],
    serializers: {
      // Errors of databases carry values of rows.
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        message: error.message,
        stack: error.stack ?? '',
        ...(error.code !== undefined && { code: error.code }),
      }),
    },
  };
}
