import type { Reader } from '../../../contract/by.ts';
import type { SiteBan } from '../../../core/placement/eligibility.ts';
import { all, change, first, insert, type Script } from '../../script.ts';
import { owned, readable } from '../access/readable.ts';

export interface BanRow {
  id: number;
  site: string;
  request_id: number | null;
  reason: string;
  evidence: string | null;
  actor: string;
  created_at: number;
  expires_at: number | null;
  removed_at: number | null;
}

const COLUMNS = 'id, site, request_id, reason, evidence, actor, created_at, expires_at, removed_at';

/** Not removed, and not over. */
const ACTIVE = 'removed_at is null and expiry_recorded = 0 and (expires_at is null or expires_at > ?)';

export function* insertBan(ban: Omit<BanRow, 'id' | 'removed_at'>): Script<number> {
  return yield* insert(
    `insert into site_ban (site, request_id, reason, evidence, actor, created_at, expires_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
    ban.site,
    ban.request_id,
    ban.reason,
    ban.evidence,
    ban.actor,
    ban.created_at,
    ban.expires_at,
  );
}

/** Bans that keep jobs of a workflow away from sites: those for all work, and those of its request. */
export function* listBansFor(requestId: number | null, now: number): Script<SiteBan[]> {
  return yield* all<SiteBan>(
    `select site, reason, expires_at as until from site_ban
     where ${ACTIVE} and (request_id is null or request_id = ?) order by id`,
    now,
    requestId ?? 0,
  );
}

/** Active bans, of one site or of all. */
export function* listActiveBans(site: string | null, now: number, reader?: Reader): Script<BanRow[]> {
  const { sql, values } = readable('request', reader);
  const visible =
    reader === undefined
      ? ''
      : ` and (request_id is null or request_id in (select id from request where 1 = 1${sql}))`;
  return yield* all<BanRow>(
    `select ${COLUMNS} from site_ban where ${ACTIVE}${site === null ? '' : ' and site = ?'}${visible} order by id`,
    now,
    ...(site === null ? [] : [site]),
    ...values,
  );
}

/** When the newest ban of a site for the request ended or began: attempts before it have been classified. */
export function* judgedUntil(requestId: number, site: string): Script<number> {
  const row = yield* first<{ at: number | null }>(
    `select max(coalesce(removed_at, created_at)) as at from site_ban where request_id = ? and site = ?`,
    requestId,
    site,
  );
  return row?.at ?? 0;
}

/** Requests, by name, that have a ban of their own on the site. */
export function* countBanningRequests(site: string, now: number): Script<number> {
  const row = yield* first<{ count: number }>(
    `select count(distinct request.name) as count from site_ban join request on request.id = site_ban.request_id
     where site_ban.site = ? and ${ACTIVE}`,
    site,
    now,
  );
  return row!.count;
}

export function* hasGeneralBan(site: string, now: number): Script<boolean> {
  const row = yield* first(
    `select 1 as found from site_ban where site = ? and request_id is null and ${ACTIVE} limit 1`,
    site,
    now,
  );
  return row !== undefined;
}

/** Returns how many were removed. With a reader, bans of requests of others stay. */
export function* removeBans(
  site: string,
  requestId: number | null,
  actor: string,
  now: number,
  reader?: Reader,
): Script<number> {
  const mine = reader === undefined ? null : owned('request', reader);
  const others =
    mine === null
      ? ''
      : ` and (request_id is null or request_id in (select id from request where ${mine.sql}))`;
  return yield* change(
    `update site_ban set removed_at = ?, removed_by = ? where site = ? and ${ACTIVE}${
      requestId === null ? '' : ' and request_id = ?'
    }${others}`,
    now,
    actor,
    site,
    now,
    ...(requestId === null ? [] : [requestId]),
    ...(mine?.values ?? []),
  );
}

/** Whether a ban has ended by time, and that was not recorded yet. */
export function* hasExpiredBans(now: number): Script<boolean> {
  const row = yield* first(
    'select 1 as found from site_ban where removed_at is null and expiry_recorded = 0 and expires_at <= ? limit 1',
    now,
  );
  return row !== undefined;
}

/** Bans that have just ended by time. Each is returned once. */
export function* recordExpiries(now: number): Script<BanRow[]> {
  const over = yield* all<BanRow>(
    `select ${COLUMNS} from site_ban where removed_at is null and expiry_recorded = 0 and expires_at <= ? order by id`,
    now,
  );
  const recorded: BanRow[] = [];
  for (const ban of over) {
    const changes = yield* change(
      'update site_ban set expiry_recorded = 1 where id = ? and expiry_recorded = 0',
      ban.id,
    );
    if (changes === 1) recorded.push(ban);
  }
  return recorded;
}

export interface SiteAttemptsRow {
  site: string;
  total: number;
  failed: number;
}

/**
 * Attempts of a round by site, in all its runs, that succeeded or failed; lost, stopped and canceled ones say nothing
 * about the site. `since`: only those that ended after this time.
 */
export function* countSiteAttempts(workflowId: number, site: string, since: number): Script<SiteAttemptsRow> {
  const row = yield* first<{ total: number; failed: number }>(
    `select count(*) as total, coalesce(sum(case when attempt.category = 'infrastructure' then 1 else 0 end), 0) as failed
     from attempt join worker on worker.id = attempt.worker_id
     where attempt.workflow_id = ? and worker.site = ? and attempt.finished_at > ?
       and (attempt.cause is null or attempt.cause not in ('lost', 'stopped', 'canceled'))`,
    workflowId,
    site,
    since,
  );
  return { site, total: row!.total, failed: Number(row!.failed) };
}

/** Sites at which attempts of a round ran. */
export function* listSitesOf(workflowId: number): Script<string[]> {
  const rows = yield* all<{ site: string }>(
    `select distinct worker.site from attempt join worker on worker.id = attempt.worker_id where attempt.workflow_id = ?
     order by worker.site`,
    workflowId,
  );
  return rows.map(({ site }) => site);
}

/** Sites of workers that are there, with how many there are. */
export function* listWorkerSites(): Script<{ site: string; workers: number }[]> {
  return yield* all<{ site: string; workers: number }>(
    'select site, count(*) as workers from worker where retired_at is null group by site order by site',
  );
}

/** Reading more would take longer than a page may wait; older attempts say little about how a site is now. */
const NEWEST_ATTEMPTS = 10_000;

export interface RecentAttemptsRow {
  site: string;
  total: number;
  failed: number;
  infrastructure: number;
}

/** The newest attempts of all workflows by site, with the exceptions of `countSiteAttempts`. */
export function* countRecentAttempts(): Script<RecentAttemptsRow[]> {
  const rows = yield* all<RecentAttemptsRow>(
    `select worker.site, count(*) as total,
       sum(case when attempt.counts_as = 'failure' then 1 else 0 end) as failed,
       sum(case when attempt.counts_as = 'failure' and attempt.category = 'infrastructure' then 1 else 0 end) as infrastructure
     from attempt join worker on worker.id = attempt.worker_id
     where attempt.id > (select coalesce(max(id), 0) - ${NEWEST_ATTEMPTS} from attempt) and attempt.finished_at is not null
       and (attempt.cause is null or attempt.cause not in ('lost', 'stopped', 'canceled'))
     group by worker.site`,
  );
  return rows.map(({ site, total, failed, infrastructure }) => ({
    site,
    total,
    failed: Number(failed),
    infrastructure: Number(infrastructure),
  }));
}
