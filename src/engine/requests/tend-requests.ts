import type { RequestState } from '../../core/request/request-states.ts';
import { hasExpiredBans } from '../../store/rows/requests/ban-rows.ts';
import { listSharedRequests, type RequestRow } from '../../store/rows/requests/request-rows.ts';
import { newestRound } from '../../store/rows/requests/round-rows.ts';
import { type Script, together } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { expireBans } from '../rounds/ban-sites.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { admitRequest, admitRequests } from './admit-requests.ts';
import { finishStop } from './finish-stops.ts';
import { needRequest } from './needed-request.ts';
import { planRound } from './plan-round.ts';

/** So many requests are looked at in one pass; the next one follows at once. */
const AT_ONCE = 20;

export interface Tending {
  store: Store;
  /** As `ownPlanner` names this process. */
  planner: string;
  isAlive: IsAlive;
}

/** Moves all requests of a server on, one step each. Returns whether anything was done. */
export async function tendShared(tending: Tending, mostActive: number): Promise<boolean> {
  const { store } = tending;
  const { expired, due } = await store.read(findDue);
  if (expired) await store.write((now) => expireBans(now));
  let done = false;
  const inState = (state: RequestState) => due.filter((request) => request.state === state);
  for (const request of inState('STOPPING')) done = (await finish(tending, request)) || done;
  if (inState('QUEUED').length > 0) {
    done = (await store.write((now) => admitRequests(mostActive, now))) > 0 || done;
  }
  const problems: unknown[] = [];
  for (const { id } of inState('PLANNING')) {
    try {
      done = (await planRound(store, id, tending.planner)) || done;
    } catch (error) {
      // The requests after it do not wait until this one can be planned.
      problems.push(error);
    }
  }
  if (problems.length > 0) throw problems[0];
  return done;
}

/** One look, which changes nothing: after most commits there is nothing to do. */
function* findDue(now: number): Script<{ expired: boolean; due: RequestRow[] }> {
  const [expired, stopping, queued, planning] = yield* together(
    hasExpiredBans(now),
    listSharedRequests(['STOPPING'], AT_ONCE),
    listSharedRequests(['QUEUED'], 1),
    listSharedRequests(['PLANNING'], AT_ONCE),
  );
  return { expired, due: [...stopping, ...queued, ...planning] };
}

/** Moves one request on that no server works on. Returns whether anything was done. */
export async function tendOne(tending: Tending, ref: string): Promise<boolean> {
  const { store, planner } = tending;
  if (await store.read(hasExpiredBans)) await store.write((now) => expireBans(now));
  const request = await store.read(() => needRequest(ref));
  const { id } = request;
  switch (request.state) {
    case 'STOPPING':
      return finish(tending, request);
    case 'QUEUED':
      await store.write((now) => admitRequest(id, now));
      return true;
    case 'PLANNING':
      return planRound(store, id, planner);
    default:
      return false;
  }
}

async function finish({ store, isAlive }: Tending, request: RequestRow): Promise<boolean> {
  const round = await store.read(() => newestRound(request.id));
  if (round === undefined) return false;
  return store.write((now) => finishStop(request.id, round.workflow_id, now, isAlive));
}
