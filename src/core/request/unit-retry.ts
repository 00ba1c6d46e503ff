import type { RetryPolicy } from '../policy/retry-policy.ts';
import type { ErrorSettings } from './error-settings.ts';
import type { UnitJob } from './request-model.ts';

/** When and how often a job of a unit is tried again, with the cool-off of the settings. */
export function unitRetry(
  { retry, cooloff }: Pick<UnitJob, 'retry' | 'cooloff'>,
  { cooloff_base_sec }: Pick<ErrorSettings, 'cooloff_base_sec'>,
): RetryPolicy {
  return cooloff ? { ...retry, initial_retry_delay_ms: Math.round(cooloff_base_sec * 1000) } : retry;
}
