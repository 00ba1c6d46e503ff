export type Jitter = 'none' | 'full' | 'equal';

/** What `retry:` says, with every default filled in. Limits count retries, not executions. */
export interface RetryPolicy {
  max_retries_failure: number;
  max_retries_preemption: number;
  initial_retry_delay_ms: number;
  max_retry_delay_ms: number;
  backoff_multiplier: number;
  retry_on_exit_codes: number[];
  no_retry_on_exit_codes: number[];
  /** false: an attempt that timed out is not retried. */
  retry_on_timeout: boolean;
  jitter: Jitter;
  jitter_seed: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  max_retries_failure: 0,
  max_retries_preemption: 100,
  initial_retry_delay_ms: 1000,
  max_retry_delay_ms: 60_000,
  backoff_multiplier: 2,
  retry_on_exit_codes: [],
  no_retry_on_exit_codes: [],
  retry_on_timeout: true,
  jitter: 'none',
  jitter_seed: 0,
};

/**
 * The wait before retry number `retry` (from 1): initial · multiplier^(retry−1), capped.
 * Jitter is drawn from `seed`, so that the same attempt always gets the same wait.
 */
export function retryDelayMs(policy: RetryPolicy, retry: number, seed: number): number {
  const uncapped = policy.initial_retry_delay_ms * policy.backoff_multiplier ** (retry - 1);
  const delay = Math.min(
    Number.isFinite(uncapped) ? uncapped : policy.max_retry_delay_ms,
    policy.max_retry_delay_ms,
  );
  switch (policy.jitter) {
    case 'none':
      return Math.round(delay);
    case 'full':
      return Math.round(delay * unitNoise(policy.jitter_seed, seed));
    case 'equal':
      return Math.round(delay / 2 + (delay / 2) * unitNoise(policy.jitter_seed, seed));
  }
}

/** A number in [0, 1) that depends on nothing but its arguments (mulberry32 of both). */
function unitNoise(a: number, b: number): number {
  let state = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0;
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
