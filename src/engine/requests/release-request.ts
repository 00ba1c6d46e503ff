import type { ReleaseAction } from '../../contract/engine.ts';
import type { RequestChange } from '../../contract/records/request.ts';
import { HoldfastError } from '../../core/errors.ts';
import { insertBan } from '../../store/rows/requests/ban-rows.ts';
import { excludeItems, itemStates } from '../../store/rows/requests/inventory-rows.ts';
import {
  decodeModel,
  moveRequest,
  type RequestOverrides,
  type RequestRow,
} from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordRequest } from '../records/record-request.ts';
import { banEnd, type NewBanRow, openSites, recordBan } from '../rounds/ban-sites.ts';
import { overridesOf, settingsOf } from '../rounds/request-settings.ts';
import { takeRequest } from './needed-request.ts';
import { changeOf, followingRound, wrongState } from './operate-request.ts';

const MEGABYTE = 1024 * 1024;
const SHOWN_PATHS = 5;

/** Continues a held request with its next round. Everything that the release changes is checked before anything is. */
export function* releaseRequest(ref: string, action: ReleaseAction, now: number): Script<RequestChange> {
  const { request } = yield* takeRequest(ref);
  if (request.state !== 'HELD') throw wrongState(request, 'release', ['HELD']);
  const { actor, reason = null, dry_run, site_bans = [], excluded_files = [] } = action;
  const excluded = yield* checkExclusions(request, excluded_files);
  yield* checkBans(request, site_bans, now);
  const changes = describeChanges(action, excluded.length);
  const change = changeOf(request, 'QUEUED', [`released; ${followingRound(request)}`, ...changes].join('; '));
  if (dry_run === true) return change;

  const overrides = overridden(overridesOf(request), action);
  yield* excludeItems(request.id, excluded, `excluded by ${actor}`, null);
  for (const site of site_bans) yield* banForRequest(request, site, actor, reason, now);
  yield* moveRequest(request, 'QUEUED', now, { overrides: JSON.stringify(overrides) });
  yield* recordRequest(
    request,
    'request_released',
    { actor, reason, ...overrides, site_bans, excluded_files: excluded.length },
    now,
  );
  return change;
}

/** Returns the paths that the release excludes, each once; those that are excluded already stay so. */
function* checkExclusions(request: RequestRow, paths: readonly string[]): Script<string[]> {
  if (paths.length === 0) return [];
  if (decodeModel(request.model).work.kind === 'range') {
    throw invalid('excluded_files', 'the request is a range and has no files');
  }
  const distinct = [...new Set(paths)];
  const states = yield* itemStates(request.id, distinct);
  const unknown = distinct.filter((path) => !states.has(path));
  if (unknown.length > 0)
    throw invalid('excluded_files', `no such item of the request: ${shownPaths(unknown)}`);
  const processed = distinct.filter((path) => states.get(path) === 'processed');
  if (processed.length > 0) {
    throw invalid(
      'excluded_files',
      `already processed, so that it is too late to exclude: ${shownPaths(processed)}`,
    );
  }
  return distinct.filter((path) => states.get(path) !== 'excluded');
}

function shownPaths(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? `, and ${paths.length - SHOWN_PATHS} more` : '';
  return `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`;
}

function* checkBans(request: RequestRow, sites: readonly string[], now: number): Script<void> {
  const { sites: allowed } = decodeModel(request.model);
  if (sites.length === 0 || allowed === null) return;
  const stranger = sites.find((site) => !allowed.includes(site));
  if (stranger !== undefined) throw invalid('site_bans', `${stranger} is not a site of the request`);
  const left = (yield* openSites(request.id, allowed, now)).filter((site) => !sites.includes(site));
  if (left.length === 0) throw invalid('site_bans', 'no site of the request would be left');
}

function invalid(field: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_REQUEST', { problems: `${field}: ${problem}; nothing was changed` });
}

function overridden(before: RequestOverrides, action: ReleaseAction): RequestOverrides {
  const { memory_mb, retry_count, error_hold_threshold, error_max_rescue_attempts } = action;
  const settings = {
    ...before.settings,
    ...(error_hold_threshold !== undefined && { error_hold_threshold }),
    ...(error_max_rescue_attempts !== undefined && { error_max_rescue_attempts }),
  };
  return {
    ...before,
    ...(memory_mb !== undefined && { memory_bytes: memory_mb * MEGABYTE }),
    ...(retry_count !== undefined && { retries: retry_count }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

function describeChanges(action: ReleaseAction, excluded: number): string[] {
  const { memory_mb, retry_count, error_hold_threshold, error_max_rescue_attempts } = action;
  const { site_bans = [] } = action;
  return [
    ...(memory_mb === undefined ? [] : [`memory ${memory_mb} MB`]),
    ...(retry_count === undefined ? [] : [retry_count === 1 ? '1 retry' : `${retry_count} retries`]),
    ...(error_hold_threshold === undefined ? [] : [`threshold ${error_hold_threshold}`]),
    ...(error_max_rescue_attempts === undefined
      ? []
      : [error_max_rescue_attempts === 1 ? '1 rescue' : `${error_max_rescue_attempts} rescues`]),
    ...(site_bans.length === 0 ? [] : [`without ${site_bans.join(', ')}`]),
    ...(excluded === 0 ? [] : [`${excluded} ${excluded === 1 ? 'item' : 'items'} excluded`]),
  ];
}

function* banForRequest(
  request: RequestRow,
  site: string,
  actor: string,
  reason: string | null,
  now: number,
): Script<void> {
  const ban: NewBanRow = {
    site,
    request_id: request.id,
    reason: reason ?? 'banned with a release',
    evidence: null,
    actor,
    created_at: now,
    expires_at: banEnd(settingsOf(request).site_ban_duration_days, now),
  };
  yield* insertBan(ban);
  yield* recordBan('site_banned', ban, now);
}
