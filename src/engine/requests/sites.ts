import type { By, ReadBy } from '../../contract/by.ts';
import type { BanAction } from '../../contract/engine.ts';
import type { BanRecord, SiteRecord } from '../../contract/records/request.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../core/request/error-settings.ts';
import { appendAudit } from '../../store/rows/access/audit-rows.ts';
import {
  type BanRow,
  countRecentAttempts,
  insertBan,
  listActiveBans,
  listWorkerSites,
  removeBans,
} from '../../store/rows/requests/ban-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import { requestLabel } from '../records/record-request.ts';
import { banEnd, recordBan } from '../rounds/ban-sites.ts';
import { settingsOf } from '../rounds/request-settings.ts';
import { needRequest } from './needed-request.ts';

/** Sites that have workers or bans, by name. */
export function* listSites(
  query: ReadBy<{ banned?: boolean }>,
  now: number,
): Script<{ items: SiteRecord[] }> {
  const sites = new Map<string, SiteRecord>();
  const site = (name: string): SiteRecord => {
    const attempts = { total: 0, failed: 0, infrastructure: 0 };
    const known = sites.get(name) ?? { name, workers: 0, attempts, bans: [] };
    sites.set(name, known);
    return known;
  };
  for (const { site: name, workers } of yield* listWorkerSites()) site(name).workers = workers;
  for (const ban of yield* listActiveBans(null, now, query.reader))
    site(ban.site).bans.push(yield* banRecord(ban));
  for (const { site: name, ...attempts } of yield* countRecentAttempts()) {
    const known = sites.get(name);
    if (known !== undefined) known.attempts = attempts;
  }
  const items = [...sites.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { items: query.banned === true ? items.filter(({ bans }) => bans.length > 0) : items };
}

function* banRecord(ban: BanRow): Script<BanRecord> {
  const request = ban.request_id === null ? null : yield* getRequestRow(ban.request_id);
  return {
    id: ban.id,
    site: ban.site,
    request_name: request === null ? null : requestLabel(request),
    reason: ban.reason,
    evidence: ban.evidence === null ? null : (JSON.parse(ban.evidence) as Record<string, unknown>),
    actor: ban.actor,
    created_at_ms: ban.created_at,
    expires_at_ms: ban.expires_at,
  };
}

/** Keeps new work away from a site: of one request, or all. */
export function* banSite(site: string, action: BanAction, now: number): Script<BanRecord> {
  const { actor, reason = 'banned by hand', request: ref, duration_days } = action;
  const request = ref === undefined ? null : yield* needRequest(ref);
  const settings = request === null ? DEFAULT_ERROR_SETTINGS : settingsOf(request);
  const ban = {
    site,
    request_id: request?.id ?? null,
    reason,
    evidence: null,
    actor,
    created_at: now,
    expires_at: banEnd(duration_days ?? settings.site_ban_duration_days, now),
  };
  const id = yield* insertBan(ban);
  yield* recordBan('site_banned', ban, now);
  return yield* banRecord({ ...ban, id, removed_at: null });
}

/** Removes the bans of a site: those of one request, or all. */
export function* unbanSite(
  site: string,
  { actor, request: ref, reader }: ReadBy<By<{ request?: string }>>,
  now: number,
): Script<{ removed: number }> {
  const request = ref === undefined ? null : yield* needRequest(ref);
  const removed = yield* removeBans(site, request?.id ?? null, actor, now, reader);
  if (removed > 0) {
    yield* appendAudit({
      at: now,
      actor,
      action: 'site_unbanned',
      subject: `site ${site}`,
      request_id: request?.id ?? null,
      data: { removed },
    });
  }
  return { removed };
}
