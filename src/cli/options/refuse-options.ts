import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';

/** Options of `run` that say what the worker of this process has, and what it does. */
export const OF_OFFER = ['maxParallel', 'cpus', 'memory', 'gpus', 'label', 'site'];
export const OF_WORKER = [...OF_OFFER, 'keepWork', 'grace'];

/** Options of `run` that say where it serves the workers of its allocations. */
export const OF_SLURM = ['host', 'port'];

export const WITH_SERVER_ONLY = 'only with a server; without one there is no outage to wait for';

/** Options that would have no effect are refused before anything has happened, under the keys that commander gives them. */
export function refuseOptions(
  { options, lists }: Pick<Invocation, 'options' | 'lists'>,
  keys: readonly string[],
  problem: string,
): void {
  const given = keys.find((key) => options[key] !== undefined || lists[key] !== undefined);
  if (given === undefined) return;
  const argument = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
