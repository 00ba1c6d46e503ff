import type { ErrorSettings } from '../../core/request/error-settings.ts';
import type { SettingOrigin } from './resolve-settings.ts';
import type { SettingKey } from './settings.ts';

/** Settings of requests that are configuration keys too. `when_exhausted` belongs to the spec alone. */
const KEYS = [
  'error_hold_threshold',
  'error_max_rescue_attempts',
  'site_ban_duration_days',
  'site_ban_promotion_threshold',
  'site_ban_min_failures',
  'site_ban_failure_ratio',
  'unless_exit_code',
  'abort_dag_code',
  'cooloff_base_sec',
] as const satisfies readonly (SettingKey & keyof ErrorSettings)[];

/** Only what was configured: the engine has the defaults. */
export function errorSettings(origins: readonly SettingOrigin[]): Partial<ErrorSettings> {
  const known: readonly string[] = KEYS;
  const configured = origins.filter(({ key, origin }) => origin !== 'default' && known.includes(key));
  return Object.fromEntries(configured.map(({ key, value }) => [key, value])) as Partial<ErrorSettings>;
}
