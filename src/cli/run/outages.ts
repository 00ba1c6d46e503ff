import type { Engine } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';

/** Keeps followers waiting through outages of the server, and reports outages. Returns a function that stops this. */
export function waitOutOutages(
  { settings }: Pick<CommandContext, 'settings'>,
  engine: Engine,
  notify: (line: string) => void,
): () => void {
  return engine.waitOutOutages?.({ patienceMs: settings.reconnect_timeout, notify }) ?? (() => {});
}

/** The server did not answer a command that was ending anyway. */
export function isUnansweredFarewell(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof HoldfastError && error.code === 'SERVER_UNREACHABLE';
}
