import { isActive, REQUEST_STATES } from '../../core/request/request-states.ts';
import { lockKey } from '../../store/lock-rows.ts';
import {
  countSharedRequests,
  getRequestRow,
  listSharedRequests,
  lockRequest,
  moveRequest,
} from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordRequest } from '../records/record-request.ts';

const ACTIVE_STATES = REQUEST_STATES.filter(isActive);

/** QUEUED → PLANNING for requests of a server, highest priority first, as far as there is room. Returns how many. */
export function* admitRequests(mostActive: number, now: number): Script<number> {
  yield* lockKey('admission of requests');
  const room = mostActive - (yield* countSharedRequests(ACTIVE_STATES));
  if (room <= 0) return 0;
  const waiting = yield* listSharedRequests(['QUEUED'], room);
  for (const { id } of waiting) yield* admitRequest(id, now);
  return waiting.length;
}

/** Admits one request, unless it is in another state by now. */
export function* admitRequest(id: number, now: number): Script<void> {
  yield* lockRequest(id);
  const request = yield* getRequestRow(id);
  if (request.state !== 'QUEUED') return;
  yield* moveRequest(request, 'PLANNING', now);
  yield* recordRequest(request, 'request_admitted', {}, now);
}
