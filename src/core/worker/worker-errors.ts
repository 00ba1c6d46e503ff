import type { ErrorKind } from '../error-kind.ts';

/** Errors about who a worker is. */
export const WORKER_ERRORS = {
  WORKER_NOT_FOUND: {
    message: ({ id }) => `there is no worker ${id}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast workers list` lists them',
  },
  NOT_THAT_WORKER: {
    message: ({ worker }) => `the request does not carry the secret of worker ${worker}`,
    httpStatus: 403,
    exitCode: 2,
    hint: () => 'only the process that registered a worker acts for it; `holdfast workers` is for operators',
  },
} satisfies Record<string, ErrorKind>;
