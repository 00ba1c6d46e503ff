import type { WorkflowExecutor } from '../../core/allocation/executor.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { refuseLabels } from '../options/label-option.ts';
import { refuseSite } from '../options/site-option.ts';
import { wholeNumberOption } from '../options/whole-number-option.ts';
import { refuseTimeLimit } from '../run/time-limit.ts';
import type { Listen } from './drive-slurm.ts';

const DEFAULT_HOST = '127.0.0.1';
const LAST_PORT = 65_535;
/** Settings of the worker in this process, of which there is none. */
const OF_WORKER = { max_parallel: '--max-parallel', cpus: '--cpus', memory: '--memory', gpus: '--gpus' };

const SLURM = 'not with --executor slurm: its workers take what their allocations have';
const DAGMAN = 'not with --executor htcondor: machines of the pool run the jobs';

/** Where `run` serves the workers of its allocations. Flags that mean nothing there, or elsewhere, are refused. */
export function slurmListen(
  { server, origins }: Pick<CommandContext, 'server' | 'origins'>,
  { options, lists }: Pick<Invocation, 'options' | 'lists'>,
  executor: WorkflowExecutor | null,
): Listen {
  const { host, port } = options;
  if (server !== null || (executor !== null && executor !== 'slurm')) {
    if (host !== undefined) throw invalid('--host', 'only with --executor slurm, and without a server');
    if (port !== undefined) throw invalid('--port', 'only with --executor slurm, and without a server');
  }
  if (executor === 'htcondor') refuseOfWorker({ origins }, { options, lists }, DAGMAN);
  if (executor === 'slurm' && server === null) refuseOfWorker({ origins }, { options, lists }, SLURM);
  const number = wholeNumberOption('--port', port, 1) ?? null;
  if (number !== null && number > LAST_PORT) throw invalid('--port', `must be at most ${LAST_PORT}`);
  return { host: typeof host === 'string' && host !== '' ? host : DEFAULT_HOST, port: number };
}

function refuseOfWorker(
  { origins }: Pick<CommandContext, 'origins'>,
  { options, lists }: Pick<Invocation, 'options' | 'lists'>,
  problem: string,
): void {
  refuseLabels({ lists }, problem);
  refuseSite({ options }, problem);
  refuseTimeLimit({ options }, problem);
  if (options.withWorker === true) throw invalid('--with-worker', problem);
  for (const [key, flag] of Object.entries(OF_WORKER)) {
    if (origins.some((each) => each.key === key && each.origin === 'flag')) throw invalid(flag, problem);
  }
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
