import type { ErrorKind } from '../error-kind.ts';

/** Errors about what belongs to others. */
export const ACCESS_ERRORS = {
  NOT_YOURS: {
    message: ({ what, whose }) => `${what} ${whose}`,
    httpStatus: 403,
    exitCode: 2,
    hint: () => 'its owner, a member of its `access_groups` or an admin can do this',
  },
} as const satisfies Record<string, ErrorKind>;
