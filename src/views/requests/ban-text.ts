import type { BanRecord, SiteRecord } from '../../contract/records/request.ts';
import { percent } from '../../core/request/decide-round.ts';

/** Whose work avoids the site. */
export function banScope({ request_name }: Pick<BanRecord, 'request_name'>): string {
  return request_name === null ? 'for all work' : `for ${request_name}`;
}

/** `7 of 40 attempts failed (17.5 %), 2 of them for reasons of the site`; null where none has ended. */
export function siteFailures({ attempts }: Pick<SiteRecord, 'attempts'>): string | null {
  const { total, failed, infrastructure } = attempts;
  if (total === 0) return null;
  if (failed === 0) return `0 of ${total} attempts failed`;
  const own = infrastructure === 0 ? 'none' : infrastructure;
  return `${failed} of ${total} attempts failed (${percent(failed / total)}), ${own} of them for reasons of the site`;
}
