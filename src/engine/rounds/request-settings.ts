import type { ErrorSettings } from '../../core/request/error-settings.ts';
import type { RequestOverrides, RequestRow } from '../../store/rows/requests/request-rows.ts';

export function overridesOf({ overrides }: Pick<RequestRow, 'overrides'>): RequestOverrides {
  return JSON.parse(overrides) as RequestOverrides;
}

/** The settings in force: the configuration when it was submitted, its spec over that, releases over both. */
export function settingsOf(request: Pick<RequestRow, 'settings' | 'overrides'>): ErrorSettings {
  return { ...(JSON.parse(request.settings) as ErrorSettings), ...overridesOf(request).settings };
}
