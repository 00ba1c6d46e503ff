import type { ErrorKind } from '../error-kind.ts';

const isCondor = (command: string | number | undefined) => String(command).startsWith('condor_');

/** Errors about clusters and their allocations. */
export const ALLOCATION_ERRORS = {
  CLUSTER_REFUSED: {
    message: ({ command, problem }) => `${command} refused: ${problem}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ command }) =>
      isCondor(command)
        ? 'nothing was submitted; `condor_status -schedd` shows who takes jobs, and DAG.dagman.out why a DAG ended'
        : 'nothing was submitted; check account, partition and limits with `sinfo` and `sacctmgr`',
  },
  CLUSTER_ABSENT: {
    message: ({ command, problem }) => `${command} does not answer: ${problem}`,
    httpStatus: 503,
    exitCode: 2,
    hint: ({ command }) =>
      `${isCondor(command) ? '`condor_status -schedd` shows whether a schedd is there' : '`holdfast doctor` checks Slurm'}; what was submitted is kept, and looked for again`,
  },
  SCHEDULER_NOT_FOUND: {
    message: ({ name, workflow }) => `workflow ${workflow} has no scheduler ${name}`,
    httpStatus: 404,
    exitCode: 2,
    hint: ({ workflow }) => `\`holdfast slurm allocations ${workflow}\` shows what it has`,
  },
  ALLOCATION_NOT_FOUND: {
    message: ({ id }) => `there is no allocation ${id}`,
    httpStatus: 404,
    exitCode: 2,
    hint: () => '`holdfast slurm allocations` lists them',
  },
  ALLOCATION_ENDED: {
    message: ({ id, end }) => `allocation ${id} has already ended: ${end}`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'nothing was changed',
  },
  DAG_DIRECTORY: {
    message: ({ directory, problem }) => `cannot use ${directory} for a DAG: ${problem}`,
    httpStatus: 409,
    exitCode: 2,
    hint: () => 'nothing was written; name a new directory that the jobs can see, too',
  },
  DAG_RUNNING: {
    message: ({ id, action }) => `DAGMan runs workflow ${id}, so jobs cannot be ${action}`,
    httpStatus: 409,
    exitCode: 2,
    hint: ({ id }) =>
      `\`holdfast stop ${id}\` removes the DAGMan; what is done is kept, and \`run\` continues`,
  },
  DAG_UNREADABLE: {
    message: ({ directory, problem }) => `${directory} cannot be read as a DAG directory: ${problem}`,
    httpStatus: 422,
    exitCode: 2,
    hint: () => 'name the directory in which the DAG was submitted, or its .dag file',
  },
} satisfies Record<string, ErrorKind>;
