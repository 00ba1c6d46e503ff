import { decideBans } from '../../core/request/decide-bans.ts';
import type { RoundBan } from '../../core/request/decide-round.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import { lockKey } from '../../store/lock-rows.ts';
import { appendAudit } from '../../store/rows/access/audit-rows.ts';
import {
  type BanRow,
  countBanningRequests,
  countSiteAttempts,
  hasGeneralBan,
  insertBan,
  judgedUntil,
  listBansFor,
  listSitesOf,
  listWorkerSites,
  recordExpiries,
} from '../../store/rows/requests/ban-rows.ts';
import type { RequestRow } from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import { ENGINE, requestLabel } from '../records/record-request.ts';

const DAY_MS = 24 * 3_600_000;

export type NewBanRow = Omit<BanRow, 'id' | 'removed_at'>;

/** When a ban that begins now ends. */
export function banEnd(days: number, now: number): number {
  return now + Math.round(days * DAY_MS);
}

export function* recordBan(action: string, ban: NewBanRow, now: number): Script<void> {
  const { site, actor, request_id, reason, evidence, expires_at } = ban;
  yield* appendAudit({
    at: now,
    actor,
    action,
    subject: `site ${site}`,
    request_id,
    data: { reason, expires_at_ms: expires_at, ...(evidence !== null && { evidence: JSON.parse(evidence) }) },
  });
}

/** Sites at which new work of a request may run. */
export function* openSites(
  requestId: number,
  sites: readonly string[] | null,
  now: number,
): Script<string[]> {
  const known = sites ?? (yield* listWorkerSites()).map(({ site }) => site);
  const banned = new Set((yield* listBansFor(requestId, now)).map(({ site }) => site));
  return known.filter((site) => !banned.has(site));
}

/** Bans the sites that failed in a round, for its request, and for all work where enough requests have. Returns the bans. */
export function* banFailingSites(
  request: RequestRow,
  workflowId: number,
  sites: readonly string[] | null,
  settings: ErrorSettings,
  now: number,
): Script<RoundBan[]> {
  const attempts = [];
  for (const site of yield* listSitesOf(workflowId)) {
    attempts.push(yield* countSiteAttempts(workflowId, site, yield* judgedUntil(request.id, site)));
  }
  const open = new Set(yield* openSites(request.id, sites, now));
  // A site whose workers have left since is as open as it was.
  if (sites === null) {
    const banned = new Set((yield* listBansFor(request.id, now)).map(({ site }) => site));
    for (const { site } of attempts) if (!banned.has(site)) open.add(site);
  }
  const decided = decideBans({ attempts, open: [...open] }, settings);
  if (decided.length === 0) return [];
  // Of requests that ban a site at the same moment, the last one must see the others.
  yield* lockKey('site bans');
  const bans: RoundBan[] = [];
  for (const { site, reason, evidence } of decided) {
    const ban: NewBanRow = {
      site,
      reason,
      request_id: request.id,
      evidence: JSON.stringify(evidence),
      actor: ENGINE,
      created_at: now,
      expires_at: banEnd(settings.site_ban_duration_days, now),
    };
    yield* insertBan(ban);
    yield* recordBan('site_banned', ban, now);
    bans.push({ site, reason, for_all: false });
    const promoted = yield* promoteBan(site, settings, requestLabel(request), now);
    if (promoted !== null) bans.push({ site, reason: promoted, for_all: true });
  }
  return bans;
}

/** Returns why the site is banned for all work from now on; null if it is not. */
function* promoteBan(
  site: string,
  settings: ErrorSettings,
  label: string,
  now: number,
): Script<string | null> {
  const count = yield* countBanningRequests(site, now);
  if (count < settings.site_ban_promotion_threshold || (yield* hasGeneralBan(site, now))) return null;
  const ban: NewBanRow = {
    site,
    request_id: null,
    reason: `${count} requests have banned it, ${label} last`,
    evidence: JSON.stringify({ requests: count }),
    actor: ENGINE,
    created_at: now,
    expires_at: banEnd(settings.site_ban_duration_days, now),
  };
  yield* insertBan(ban);
  yield* recordBan('site_ban_promoted', ban, now);
  return ban.reason;
}

/** Records the end of bans whose time is over. */
export function* expireBans(now: number): Script<void> {
  for (const ban of yield* recordExpiries(now)) {
    yield* recordBan('site_ban_expired', { ...ban, actor: ENGINE }, now);
  }
}
