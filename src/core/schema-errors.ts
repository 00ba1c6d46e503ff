import type { ErrorKind } from './error-kind.ts';

/** About databases of another version, or of another program. */
export const SCHEMA_ERRORS = {
  SCHEMA_TOO_NEW: {
    message: ({ path, found, known }) => `${path} has schema version ${found}, this Holdfast knows ${known}`,
    httpStatus: 500,
    exitCode: 2,
    hint: () => 'use the Holdfast version that wrote it, or a newer one',
  },
  SCHEMA_TOO_OLD: {
    message: ({ path, found, known }) => `${path} has schema version ${found}, this Holdfast needs ${known}`,
    httpStatus: 500,
    exitCode: 2,
    hint: () =>
      'nothing was changed; stop its servers and workers, back it up with `pg_dump`, then `holdfast migrate` upgrades it',
  },
  SCHEMA_UNKNOWN: {
    message: ({ path, problem }) => `${path} is no database that this Holdfast can use: ${problem}`,
    httpStatus: 500,
    exitCode: 2,
    hint: () =>
      'nothing was changed; an unreleased version or another program wrote it: use that version, or name another directory with --dir',
  },
} as const satisfies Record<string, ErrorKind>;
