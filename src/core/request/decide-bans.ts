import { percent } from './decide-round.ts';
import type { ErrorSettings } from './error-settings.ts';

/** Attempts of a round at one site. Attempts that were lost, stopped or canceled are not among them. */
export interface SiteAttempts {
  site: string;
  total: number;
  /** Of the category infrastructure. */
  failed: number;
}

export interface BanFacts {
  attempts: readonly SiteAttempts[];
  /** Sites at which new work of the request may still run. The last of them is never banned. */
  open: readonly string[];
}

export interface NewBan {
  site: string;
  reason: string;
  evidence: SiteAttempts;
}

type BanSettings = Pick<ErrorSettings, 'site_ban_min_failures' | 'site_ban_failure_ratio'>;

/** The worst sites come first, so that the best of all bad ones is the one that stays. */
export function decideBans({ attempts, open }: BanFacts, settings: BanSettings): NewBan[] {
  const { site_ban_min_failures: fewest, site_ban_failure_ratio: share } = settings;
  const left = new Set(open);
  const bans: NewBan[] = [];
  const suspects = attempts
    .filter(({ site, total, failed }) => left.has(site) && failed >= fewest && failed / total > share)
    .sort(
      (a, b) => b.failed / b.total - a.failed / a.total || b.failed - a.failed || compare(a.site, b.site),
    );
  for (const evidence of suspects) {
    if (left.size <= 1) break;
    const { site, total, failed } = evidence;
    left.delete(site);
    bans.push({
      site,
      evidence,
      reason: `${failed} of ${total} attempts failed for reasons of the site (${percent(failed / total)})`,
    });
  }
  return bans;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
