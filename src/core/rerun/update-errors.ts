import type { ErrorKind } from '../error-kind.ts';

/** Errors about edited specs. */
export const UPDATE_ERRORS = {
  UPDATE_REFUSED: {
    message: ({ problem }) => `the workflow cannot be updated: ${problem}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ way_out }) => `nothing was changed; ${way_out}`,
  },
  NOTHING_TO_CONTINUE: {
    message: ({ name }) => `there is no workflow named ${name} to continue`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast run SPEC` creates one; `--continue=ID` names another workflow',
  },
} satisfies Record<string, ErrorKind>;
