import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';

/** Flags that only workflows have a use for. */
const OF_WORKFLOWS = {
  idempotencyKey: '--idempotency-key',
  onFailMaxLoops: '--on-fail-max-loops',
  retryMax: '--retry-max',
  failureRouting: '--no-failure-routing',
  context: '--context',
  force: '--force',
  debug: '--debug',
  executor: '--executor',
  host: '--host',
  port: '--port',
  timeLimit: '--time-limit',
  endTime: '--end-time',
  continue: '--continue',
  report: '--report',
  ui: '--ui',
  uiPort: '--ui-port',
};

/** A request is no workflow: what it would ignore is refused. */
export function refuseForRequest(options: Invocation['options']): void {
  for (const [key, flag] of Object.entries(OF_WORKFLOWS)) {
    const value = options[key];
    if (value === undefined || (key === 'failureRouting' && value === true)) continue;
    throw new HoldfastError('INVALID_ARGUMENT', { argument: flag, problem: 'has no effect on a request' });
  }
}
