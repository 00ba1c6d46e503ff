import type { ErrorKind } from '../error-kind.ts';

/** Errors about requests, their rounds and sites. */
export const REQUEST_ERRORS = {
  REQUEST_NOT_FOUND: {
    message: ({ name }) => `there is no request ${name}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast requests list` lists the requests',
  },
  ROUND_NOT_FOUND: {
    message: ({ name, round }) => `request ${name} has no round ${round}`,
    httpStatus: 404,
    exitCode: 2,
    hint: ({ name }) => `\`holdfast requests show ${name}\` lists its rounds`,
  },
  REQUEST_EXISTS: {
    message: ({ name, state }) => `request ${name} exists and is ${state}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ name }) =>
      `\`holdfast requests show ${name}\` shows what to do next; \`holdfast requests restart ${name}\` replaces it by a new version`,
  },
  REQUEST_STATE: {
    message: ({ name, state, action, allowed }) =>
      `cannot ${action} request ${name}: it is ${state}, and ${action} needs ${allowed}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ name }) => `nothing was changed; \`holdfast requests show ${name}\` shows what is possible`,
  },
  SITE_NOT_ALLOWED: {
    message: ({ name, sites, site }) =>
      `request ${name} runs only at ${sites}, and this machine is at ${site}`,
    httpStatus: 422,
    exitCode: 2,
    hint: ({ first }) => `name the site of this machine, as in \`--site ${first}\``,
  },
  ROUND_WORKFLOW: {
    message: ({ id, name, round }) => `workflow ${id} is round ${round} of request ${name}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ name, instead }) => `nothing was changed; use \`holdfast requests ${instead} ${name}\``,
  },
} satisfies Record<string, ErrorKind>;
