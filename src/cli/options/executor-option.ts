import { WORKFLOW_EXECUTORS, type WorkflowExecutor } from '../../core/allocation/executor.ts';
import { HoldfastError } from '../../core/errors.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Invocation } from '../command-context.ts';
import type { CommandOption } from '../command-entry.ts';

export const EXECUTOR_OPTION: CommandOption = [
  '--executor <name>',
  'workers, slurm or htcondor; slurm uses the `slurm_schedulers` of the spec, htcondor DAGMan',
];

/** Of `run --executor slurm` without a server. */
export const LISTEN_OPTIONS: CommandOption[] = [
  ['--host <address>', 'with slurm: where its workers reach this machine (default: 127.0.0.1)'],
  ['--port <n>', 'with slurm: the port for that (default: one that is free)'],
];

/** null: it was not given. */
export function executorOption({ options }: Pick<Invocation, 'options'>): WorkflowExecutor | null {
  const { executor: value } = options;
  if (value === undefined) return null;
  const found = WORKFLOW_EXECUTORS.find((each) => each === value);
  if (found !== undefined) return found;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: '--executor',
    problem: `must be ${WORKFLOW_EXECUTORS.join(' or ')}, not ${value}${didYouMean(String(value), [...WORKFLOW_EXECUTORS])}`,
  });
}
