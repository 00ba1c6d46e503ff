import { ACCESS_ERRORS } from './access/access-errors.ts';
import { ALLOCATION_ERRORS } from './allocation/allocation-errors.ts';
import type { ErrorKind } from './error-kind.ts';
import { HOUSEKEEPING_ERRORS } from './housekeeping-errors.ts';
import { REQUEST_ERRORS } from './request/request-errors.ts';
import { UPDATE_ERRORS } from './rerun/update-errors.ts';
import { SCHEMA_ERRORS } from './schema-errors.ts';
import { SELECTION_ERRORS } from './selection/selection-errors.ts';
import { shellWord } from './text/shell-word.ts';
import { unreachableHint } from './unreachable-hint.ts';
import { WORKER_ERRORS } from './worker/worker-errors.ts';

/** A fact as a word of a command that can be pasted. */
function word(fact: unknown): string {
  return shellWord(String(fact));
}

/** Every error the product reports. docs/errors.md lists them; a test keeps the two equal. */
export const ERRORS = {
  WORKFLOW_NOT_FOUND: {
    message: ({ id }) => `there is no workflow ${id}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast status` lists the workflows that there are',
  },
  JOB_NOT_FOUND: {
    message: ({ job, workflow, near = '' }) => `workflow ${workflow} has no job ${job}${near}`,
    httpStatus: 404,
    exitCode: 2,
    hint: ({ workflow }) => `\`holdfast jobs ${workflow}\` lists its jobs`,
  },
  NO_PENDING_FAILED: {
    message: () => 'Workflow does not have use_pending_failed enabled',
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) =>
      `failed jobs are tried again with \`holdfast recover ${id}\` or \`holdfast retry ${id} JOB\`; \`use_pending_failed: true\` in the spec has failures wait for a decision`,
  },
  NOT_PENDING: {
    message: ({ job, status }) => `job ${job} does not wait for a decision: it is ${status}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ workflow }) =>
      `nothing was changed; \`holdfast failures ${workflow}\` lists what waits for a decision`,
  },
  AGENT_LIMIT: {
    message: ({ problem }) => `refused: ${problem}`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'nothing was changed; leave these jobs to a person',
  },
  NO_ATTEMPT: {
    message: ({ job }) => `job ${job} was not started`,
    httpStatus: 404,
    exitCode: 2,
    hint: ({ workflow, job }) => `\`holdfast explain ${workflow} ${word(job)}\` shows why`,
  },
  NO_STATE: {
    message: ({ path }) => `there is no Holdfast state at ${path}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () =>
      'go to the directory where you ran `holdfast run`, or below it, or name it with --dir; `holdfast init` writes a first spec',
  },
  INVALID_SPEC: {
    message: ({ problems }) => String(problems),
    httpStatus: 422,
    exitCode: 2,
    hint: () => 'nothing was created; `holdfast schema` prints the JSON Schema for your editor',
  },
  MISSING_INPUT: {
    message: ({ problems }) => String(problems),
    httpStatus: 422,
    exitCode: 2,
    hint: () =>
      'nothing was run; put the file there, correct its path, or add it to `output_files` of the job that writes it; a spec runs without it with --force',
  },
  DOES_NOT_FIT: {
    message: ({ job, needs, has }) => `job ${job} needs ${needs}, but this machine offers ${has}`,
    httpStatus: 422,
    exitCode: 2,
    hint: () => 'lower the requirement, or raise the offer with --cpus, --memory or --gpus',
  },
  LABELS_MISSING: {
    message: ({ job, needs, has }) => `job ${job} needs ${needs}; this run has ${has}`,
    httpStatus: 422,
    exitCode: 2,
    hint: ({ options }) => `add ${options}`,
  },
  INVALID_ARGUMENT: {
    message: ({ argument, problem }) => `${argument}: ${problem}`,
    httpStatus: 400,
    exitCode: 2,
    hint: () => '`holdfast help` shows the commands and their options',
  },
  INVALID_CONFIG: {
    message: ({ problems }) => String(problems),
    httpStatus: 400,
    exitCode: 2,
    hint: () => '`holdfast help config` lists the keys and their values',
  },
  ...SCHEMA_ERRORS,
  NETWORK_FILE_SYSTEM: {
    message: ({ path, kind }) =>
      `${path} is on a network file system (${kind}), where SQLite cannot lock safely`,
    httpStatus: 500,
    exitCode: 2,
    hint: () => 'name a local directory with --dir or HOLDFAST_DIR',
  },
  STATE_UNUSABLE: {
    message: ({ path, problem }) => `cannot use ${path}: ${problem}`,
    httpStatus: 500,
    exitCode: 2,
    hint: () => 'check its permissions and the free space, or name another directory with --dir',
  },
  STORE_FAILED: {
    message: ({ problem }) => `the state could not be saved: ${problem}`,
    httpStatus: 500,
    exitCode: 1,
    hint: () =>
      'nothing that was reported as done is lost; free some space, then `holdfast run ID` resumes it',
  },
  WORKER_RETIRED: {
    message: ({ worker }) => `worker ${worker} has been retired: it left, or its jobs were taken back`,
    httpStatus: 409,
    exitCode: 1,
    hint: () => '`holdfast workers list` shows the workers of a server; `holdfast run ID` resumes a run',
  },
  WORKER_ACTIVE: {
    message: ({ path, pid, host }) => `process ${pid} on ${host} is a worker in ${path} already`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'stop it first, or name another directory with --dir',
  },
  RUN_ACTIVE: {
    message: ({ id, pid }) => `workflow ${id} is being run by process ${pid}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) => `wait for it, stop it with Ctrl-C, or \`holdfast cancel ${id}\` first`,
  },
  WRONG_RUN: {
    message: ({ run, current }) => `run_id ${run} does not match the workflow's current run ${current}`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'look at the workflow again: another run has begun meanwhile',
  },
  NOT_RETRYABLE: {
    message: ({ job, status }) =>
      `job ${job} is ${status}; only a running, failed or terminated job can be retried`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ workflow, job, status }) =>
      status === 'canceled'
        ? `\`holdfast explain ${workflow} ${word(job)}\` shows why; \`holdfast retry ${workflow} --failed\` brings back what was canceled because of a failure, \`holdfast reset-status ${workflow} --failed-only\` all that did not succeed`
        : `\`holdfast explain ${workflow} ${word(job)}\` shows why; \`holdfast retry ${workflow} --from ${word(job)}\` starts it over, with everything downstream`,
  },
  DECISION_PENDING: {
    message: ({ job }) => `job ${job} waits for a decision and cannot simply be retried`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ workflow, job }) =>
      `\`holdfast resolve ${workflow} --retry ${word(job)}\` decides, \`holdfast failures ${workflow}\` shows what happened`,
  },
  RETRIES_EXCEEDED: {
    message: ({ job, attempt, limit }) =>
      `job ${job} has had attempt ${attempt}, and max_retries is ${limit}`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'give a higher --max-retries, or none',
  },
  ...SELECTION_ERRORS,
  ALREADY_PAUSED: {
    message: ({ id, state, actor }) => `workflow ${id} is already ${state}, by ${actor}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) => `\`holdfast resume ${id}\` resumes it`,
  },
  ...HOUSEKEEPING_ERRORS,
  NOT_PAUSED: {
    message: ({ id }) => `workflow ${id} is not paused`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) => `\`holdfast status ${id}\` shows how it stands`,
  },
  WORKFLOW_COMPLETE: {
    message: ({ id }) => `workflow ${id} is complete`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) => `\`holdfast status ${id}\` shows how it ended; run the spec again for a new workflow`,
  },
  NO_SUCH_JOB: {
    message: ({ id }) => `there is no job ${id}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast jobs ID` lists the jobs of a workflow',
  },
  ...REQUEST_ERRORS,
  ...UPDATE_ERRORS,
  ...ALLOCATION_ERRORS,
  ...WORKER_ERRORS,
  TOKEN_NOT_FOUND: {
    message: ({ id }) => `there is no token ${id}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast token list` lists them',
  },
  HANDLER_NOT_FOUND: {
    message: ({ id }) => `there is no failure handler ${id}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`GET /api/v1/workflows/ID/failure_handlers` lists those of a workflow',
  },
  HANDLER_EXISTS: {
    message: ({ workflow, name }) => `workflow ${workflow} has a failure handler ${name} already`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'delete it first, or choose another name',
  },
  USER_DATA_NOT_FOUND: {
    message: ({ workflow, name }) => `workflow ${workflow} has no user data ${name}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => 'user data is declared in the spec, under `user_data`',
  },
  NO_LOG: {
    message: ({ stream, attempt, job }) => `there is no ${stream} of attempt ${attempt} of job ${job}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () =>
      'the workflow may not keep it (`stdio`), its file may have been removed, or it is on another machine: logs stay where the attempt ran',
  },
  KEY_REUSED: {
    message: ({ key, id }) => `the idempotency key ${key} was used for another workflow, ${id}`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'nothing was created; use a new key for a new workflow',
  },
  STALE_EXCHANGE: {
    message: ({ worker, seq, newest }) =>
      `worker ${worker} has sent exchange ${newest} after exchange ${seq}`,
    httpStatus: 409,
    exitCode: 1,
    hint: () => 'nothing was changed; only the newest exchange can be sent again',
  },
  DATABASE_RESTORED: {
    message: ({ worker, made, newest }) =>
      `worker ${worker} has made exchange ${made}, and the database knows none after ${newest}: an older copy of it was restored`,
    httpStatus: 409,
    exitCode: 1,
    hint: () => 'the worker ends what it runs and registers anew; jobs that the database gave it run again',
  },
  NEEDS_SERVER: {
    message: ({ command }) => `\`${command}\` needs a server`,
    httpStatus: 400,
    exitCode: 2,
    hint: () => 'name one with --server URL or HOLDFAST_SERVER, or start one with `holdfast serve`',
  },
  SERVER_UNREACHABLE: {
    message: ({ url, problem }) => `cannot reach ${url}: ${problem}`,
    httpStatus: 502,
    exitCode: 4,
    hint: ({ problem }) => unreachableHint(String(problem)),
  },
  SERVER_FAILED: {
    message: ({ url, problem }) => `${url} failed: ${problem}`,
    httpStatus: 502,
    exitCode: 1,
    hint: () => 'the log of the server has more',
  },
  WAIT_TIMEOUT: {
    message: ({ what, seconds }) => `${what} has not ended after ${seconds} s`,
    httpStatus: 504,
    exitCode: 1,
    hint: () => 'it continues; wait for it again, or cancel it',
  },
  DATABASE_UNREACHABLE: {
    message: ({ name, problem }) => `cannot reach the database ${name}: ${problem}`,
    httpStatus: 503,
    exitCode: 2,
    hint: () => 'check DATABASE_URL, and that PostgreSQL runs',
  },
  AUTH_REQUIRED: {
    message: ({ address }) => `${address} is reachable from other machines, so --auth is required`,
    httpStatus: 400,
    exitCode: 2,
    hint: () => 'add `--auth token` and create a token with `holdfast token create`, or listen on 127.0.0.1',
  },
  UNAUTHORIZED: {
    message: ({ problem }) => String(problem),
    httpStatus: 401,
    exitCode: 2,
    hint: () =>
      'give a token with --token-file, HOLDFAST_TOKEN or `Authorization: Bearer TOKEN`; `holdfast token create` creates one on the server',
  },
  FORBIDDEN: {
    message: ({ needed, role }) => `this needs the role ${needed}, and the token has ${role}`,
    httpStatus: 403,
    exitCode: 2,
    hint: ({ needed }) => `an admin creates one with \`holdfast token create --role ${needed}\``,
  },
  ...ACCESS_ERRORS,
  FOREIGN_REQUEST: {
    message: ({ problem }) => String(problem),
    httpStatus: 403,
    exitCode: 2,
    hint: () => 'ask the server by the name it was started for; `holdfast serve --allow-host NAME` adds one',
  },
  TOO_MANY_FAILURES: {
    message: () => 'too many requests with a wrong token',
    httpStatus: 429,
    exitCode: 2,
    hint: ({ seconds }) => `wait ${seconds} s, then use a valid token`,
  },
  UNREADABLE_REQUEST: {
    message: ({ problem }) => String(problem),
    httpStatus: 400,
    exitCode: 2,
    hint: () => 'send JSON with `content-type: application/json`',
  },
  INVALID_REQUEST: {
    message: ({ problems }) => String(problems),
    httpStatus: 422,
    exitCode: 2,
    hint: () => 'the description of the API is at /api/v1/openapi.json',
  },
  NO_ENDPOINT: {
    message: ({ method, path }) => `there is no ${method} ${path}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => 'the description of the API is at /api/v1/openapi.json',
  },
  TOO_LARGE: {
    message: ({ limit }) => `the request is larger than ${limit} bytes`,
    httpStatus: 413,
    exitCode: 2,
    hint: () => 'send less at a time',
  },
  TOO_MANY_STREAMS: {
    message: ({ limit }) => `${limit} streams are open already`,
    httpStatus: 429,
    exitCode: 2,
    hint: () => 'end one of them first; `streams_per_token` of the server is the limit',
  },
  METHOD_NOT_ALLOWED: {
    message: ({ method, path }) => `${path} cannot be asked for with ${method}`,
    httpStatus: 405,
    exitCode: 2,
    hint: ({ allowed }) => `use ${allowed}; the description of the API is at /api/v1/openapi.json`,
  },
  DISK_FULL: {
    message: ({ problem }) => `there is no space left for the state: ${problem}`,
    httpStatus: 507,
    exitCode: 1,
    hint: () => 'nothing that was reported as done is lost; free some space, then ask again',
  },
  TOO_BUSY: {
    message: () => 'too many workflows are being submitted at the same time',
    httpStatus: 503,
    exitCode: 1,
    hint: () => 'nothing was created; submit it again in a minute',
  },
  SHUTTING_DOWN: {
    message: () => 'the server is shutting down',
    httpStatus: 503,
    exitCode: 1,
    hint: () => 'ask again in a few seconds',
  },
} satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export class HoldfastError extends Error {
  readonly code: ErrorCode;
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly hint: string;

  constructor(code: ErrorCode, facts: Record<string, string | number> = {}, cause?: unknown) {
    const kind: ErrorKind = ERRORS[code];
    super(kind.message(facts), { cause });
    this.name = 'HoldfastError';
    this.code = code;
    this.httpStatus = kind.httpStatus;
    this.exitCode = kind.exitCode;
    this.hint = kind.hint(facts);
  }

  /** An error as another process sent it; its texts are kept as they are. */
  static received(code: ErrorCode, message: string, hint: string): HoldfastError {
    const error = new HoldfastError(code);
    return Object.assign(error, { message, hint });
  }
}
