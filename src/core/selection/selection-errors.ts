import type { ErrorKind } from '../error-kind.ts';
import { shellWord } from '../text/shell-word.ts';

/** Errors about selections of jobs. */
export const SELECTION_ERRORS = {
  NO_MATCH: {
    message: ({ workflow, pattern, near = '' }) => `no job of workflow ${workflow} matches ${pattern}${near}`,
    httpStatus: 404,
    exitCode: 2,
    hint: ({ workflow }) =>
      `nothing was changed; * stands for any text and ? for one character, and \`holdfast jobs ${workflow}\` lists its jobs`,
  },
  NO_SUCH_FAILURE: {
    message: ({ workflow, fingerprint }) =>
      `no failed job of workflow ${workflow} has the fingerprint ${fingerprint}`,
    httpStatus: 404,
    exitCode: 2,
    hint: ({ workflow }) => `nothing was changed; \`holdfast failures ${workflow}\` lists the fingerprints`,
  },
  NO_SUCH_TARGET: {
    message: ({ target, near = '' }) =>
      `until: there is no job and no declared output file "${target}"${near}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => 'nothing was changed; `holdfast plan SPEC` and `holdfast jobs ID` list jobs',
  },
  SELECTION_REFUSED: {
    message: ({ problems }) => String(problems),
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'nothing was changed; leave these jobs out, or choose jobs with --failed or --status',
  },
  DEPENDENCY_FAILED: {
    message: ({ job, needs, status }) => `job ${job} depends on ${needs}, which is ${status}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ workflow, root }) =>
      `nothing was changed; \`holdfast retry ${workflow} --from ${shellWord(String(root))}\` starts over from there`,
  },
  BEING_CANCELED: {
    message: ({ job }) => `job ${job} is being canceled`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'nothing was changed; try again when its attempt has ended',
  },
} satisfies Record<string, ErrorKind>;
