import { HoldfastError } from '../../core/errors.ts';
import type { ServiceWorkerOptions } from '../../worker/service-worker.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { durationOption } from '../duration-option.ts';

const DRAIN_TIMEOUT_MS = 60_000;
const WORD = /^[\w.@:/=-]{1,100}$/;

/** What a worker for a server may use here. */
export function serviceWorkerOptions(
  { settings, stateDir, narrate }: CommandContext,
  { options, lists }: Pick<Invocation, 'options' | 'lists'>,
): ServiceWorkerOptions {
  const { site } = options;
  if (site !== undefined) checkWord('--site', String(site));
  const labels = lists.label ?? [];
  for (const label of labels) checkWord('--label', label);
  return {
    stateDir,
    baseDir: process.cwd(),
    ...(typeof site === 'string' && { site }),
    labels,
    cpus: settings.cpus,
    memoryBytes: settings.memory,
    gpus: settings.gpus,
    maxParallel: settings.max_parallel,
    graceMs: settings.grace,
    keepWork: settings.keep_work,
    drainTimeoutMs: durationOption('--drain-timeout', options.drainTimeout, 0) ?? DRAIN_TIMEOUT_MS,
    log: narrate,
  };
}

function checkWord(argument: string, text: string): void {
  if (!WORD.test(text)) throw invalid(argument, 'must be at most 100 letters, digits and . _ @ : / = -');
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
