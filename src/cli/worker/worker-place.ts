import { join } from 'node:path';
import { ownAllocation, workersTogether } from '../../clusters/slurm/own-allocation.ts';
import { DEFAULT_ALLOCATION_WORKER } from '../../core/allocation/scheduler.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { ServiceWorkerOptions } from '../../worker/service-options.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import type { SettingKey } from '../config/settings.ts';
import { durationOption } from '../options/duration-option.ts';
import { wholeNumberOption } from '../options/whole-number-option.ts';

const TAG = /^[\w.:-]{1,100}$/;
/** When an allocation is being ended, its jobs have been signaled by the cluster. */
const GRACE_MS = 5_000;
/** Workers that `srun` starts together register within so long for each of them, and at the most. */
const START_WITHIN_MS = 50;
const MOST_START_WITHIN_MS = 10_000;
/** Options that say how a worker behaves towards the end of an allocation. */
const ALLOCATION_OPTIONS = { tag: '--tag', takeUntil: '--take-until', endBefore: '--end-before' };

/** For what and how long the worker works: one workflow, an allocation, until it is idle. */
export function withPlace(
  worker: ServiceWorkerOptions,
  context: CommandContext,
  { options }: Pick<Invocation, 'options'>,
): ServiceWorkerOptions {
  const workflowId = wholeNumberOption('--workflow', options.workflow, 1);
  if (options.stay === true && workflowId === undefined) throw invalid('--stay', 'only with --workflow');
  const idleMs = durationOption('--idle-timeout', options.idleTimeout);
  const startWithinMs = durationOption('--start-within', options.startWithin, 0);
  const placed: ServiceWorkerOptions = {
    ...worker,
    ...(workflowId !== undefined && { workflowId }),
    ...(options.stay === true && { stays: true }),
    ...(idleMs !== undefined && { idleMs }),
    ...(startWithinMs !== undefined && { startWithinMs }),
  };
  return options.allocation === undefined
    ? outside(placed, options)
    : inAllocation(placed, context, { ...options, allocation: String(options.allocation) });
}

function outside(worker: ServiceWorkerOptions, options: Invocation['options']): ServiceWorkerOptions {
  for (const [key, flag] of Object.entries(ALLOCATION_OPTIONS)) {
    if (options[key] !== undefined) throw invalid(flag, 'only with --allocation');
  }
  return worker;
}

/** The allocation says what the worker has, unless this command does. */
function inAllocation(
  worker: ServiceWorkerOptions,
  { stateDir, settings, origins }: CommandContext,
  options: Invocation['options'] & { allocation: string },
): ServiceWorkerOptions {
  if (options.allocation !== 'slurm')
    throw invalid('--allocation', `must be slurm, not ${options.allocation}`);
  const tag = options.tag === undefined ? null : String(options.tag);
  if (tag !== null && !TAG.test(tag))
    throw invalid('--tag', 'must be at most 100 letters, digits and . _ : -');
  const own = ownAllocation(process.env);
  const isGiven = (key: SettingKey) =>
    origins.some((each) => each.key === key && (each.origin === 'flag' || each.origin === 'environment'));
  const site = worker.site ?? own.site;
  const { idle_ms, take_until_ms, end_before_ms } = DEFAULT_ALLOCATION_WORKER;
  return {
    idleMs: idle_ms,
    startWithinMs: startWithin(workersTogether(process.env)),
    ...worker,
    stateDir: join(stateDir, 'slurm', tag ?? `job-${own.id}`, `node-${own.node}-${own.restarts}`),
    checkpointRoot: stateDir,
    ...(site !== null && { site }),
    cpus: isGiven('cpus') ? settings.cpus : own.cpus,
    memoryBytes: isGiven('memory') ? settings.memory : (own.memoryBytes ?? settings.memory),
    gpus: isGiven('gpus') ? settings.gpus : own.gpus,
    allocation: {
      own,
      tag,
      takeUntilMs: durationOption('--take-until', options.takeUntil, 0) ?? take_until_ms,
      endBeforeMs: durationOption('--end-before', options.endBefore, 0) ?? end_before_ms,
      graceMs: isGiven('grace') ? settings.grace : GRACE_MS,
    },
  };
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}

/** So that the server does not hear of all workers of a large allocation at once; each starts at a random moment. */
export function startWithin(together: number): number {
  return together > 1 ? Math.min(together * START_WITHIN_MS, MOST_START_WITHIN_MS) : 0;
}
