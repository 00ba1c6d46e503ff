import type { ErrorKind } from './error-kind.ts';

/** About workflows that are deleted, archived, exported and imported. */
export const HOUSEKEEPING_ERRORS = {
  WORKFLOW_BUSY: {
    message: ({ id, why }) => `workflow ${id} ${why}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) =>
      `nothing was changed; \`holdfast cancel ${id}\` ends it, \`holdfast status ${id}\` shows what runs`,
  },
  ROUND_KEPT: {
    message: ({ id }) => `workflow ${id} is a round of a request, whose ledger needs it`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) => `nothing was changed; \`holdfast archive ${id}\` takes it out of the lists`,
  },
  ROUND_NOT_EXPORTED: {
    message: ({ id }) => `workflow ${id} is a round of a request, whose ledger no export has`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => '`holdfast backup FILE` copies all of the state; `pg_dump` does so for PostgreSQL',
  },
  INVALID_EXPORT: {
    message: ({ problem }) => `this export cannot be imported: ${problem}`,
    httpStatus: 422,
    exitCode: 2,
    hint: () =>
      'nothing was changed; write it again with `holdfast export ID -o FILE`, and copy it as a binary file',
  },
} satisfies Record<string, ErrorKind>;
