import type { ServiceWorkerOptions } from '../../worker/service-options.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { durationOption } from '../options/duration-option.ts';
import { labelOption } from '../options/label-option.ts';
import { siteOption } from '../options/site-option.ts';

const DRAIN_TIMEOUT_MS = 60_000;

/** What a worker for a server may use here. */
export function serviceWorkerOptions(
  { settings, stateDir, narrate }: CommandContext,
  { options, lists }: Pick<Invocation, 'options' | 'lists'>,
): ServiceWorkerOptions {
  const site = siteOption({ options });
  return {
    stateDir,
    baseDir: process.cwd(),
    ...(site !== null && { site }),
    labels: labelOption({ lists }),
    cpus: settings.cpus,
    memoryBytes: settings.memory,
    gpus: settings.gpus,
    maxParallel: settings.max_parallel,
    graceMs: settings.grace,
    keepWork: settings.keep_work,
    leaseMs: settings.lease,
    drainTimeoutMs: durationOption('--drain-timeout', options.drainTimeout, 0) ?? DRAIN_TIMEOUT_MS,
    log: narrate,
  };
}

/** Where the memory of this process cannot be changed, its jobs can read what it was started with. */
export function warnOfExposure({ exposedVariables, narrate }: CommandContext): void {
  if (exposedVariables.length === 0) return;
  narrate(`jobs can read ${exposedVariables.join(', ')} from /proc; use a file instead (--token-file)`);
}
