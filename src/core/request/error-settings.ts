/** Settings of both levels of error handling. A spec overrides the configuration, a release overrides both. */
export interface ErrorSettings {
  /** A round in which this share of the units failed, or more, holds the request. */
  error_hold_threshold: number;
  /** Rescues after failures before the request is held, whatever the share. */
  error_max_rescue_attempts: number;
  site_ban_duration_days: number;
  /** Bans by so many requests become a ban for all. */
  site_ban_promotion_threshold: number;
  site_ban_min_failures: number;
  /** A site with a larger share of failures is banned. */
  site_ban_failure_ratio: number;
  /** Exit code of the post step that stops retries of a job. */
  unless_exit_code: number;
  /** Exit code of the post step that stops the whole round. */
  abort_dag_code: number;
  /** Wait before the first retry; it doubles with each further one. */
  cooloff_base_sec: number;
  /** What happens when all rescues are used and the share of failed units is below the threshold. */
  when_exhausted: WhenExhausted;
}

export const WHEN_EXHAUSTED = ['hold', 'advance'] as const;

export type WhenExhausted = (typeof WHEN_EXHAUSTED)[number];

export const DEFAULT_ERROR_SETTINGS: ErrorSettings = {
  error_hold_threshold: 0.2,
  error_max_rescue_attempts: 3,
  site_ban_duration_days: 7,
  site_ban_promotion_threshold: 3,
  site_ban_min_failures: 3,
  site_ban_failure_ratio: 0.5,
  unless_exit_code: 42,
  abort_dag_code: 43,
  cooloff_base_sec: 60,
  when_exhausted: 'hold',
};
