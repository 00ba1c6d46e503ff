import { HoldfastError } from '../../core/errors.ts';
import { parseDuration } from '../../core/quantity.ts';
import type { ServiceWorkerOptions } from '../../worker/service-worker.ts';
import type { CommandContext, Invocation } from '../command-context.ts';

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
    drainTimeoutMs: drainTimeout(options.drainTimeout),
    log: narrate,
  };
}

function drainTimeout(text: string | boolean | undefined): number {
  if (text === undefined) return DRAIN_TIMEOUT_MS;
  const ms = parseDuration(String(text), 1000);
  if (ms !== undefined) return ms;
  throw invalid('--drain-timeout', `must be a duration like 30s or 5m, not ${text}`);
}

function checkWord(argument: string, text: string): void {
  if (!WORD.test(text)) throw invalid(argument, 'must be at most 100 letters, digits and . _ @ : / = -');
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
