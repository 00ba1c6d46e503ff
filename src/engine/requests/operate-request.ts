import type { RequestAction, StopAction } from '../../contract/engine.ts';
import type { RequestChange, RestartedRequest } from '../../contract/records/request.ts';
import { HoldfastError } from '../../core/errors.ts';
import {
  REQUEST_STATES,
  type RequestState,
  requestHasEnded,
  requestStatesBefore,
} from '../../core/request/request-states.ts';
import { lockKey } from '../../store/lock-rows.ts';
import { copyItems } from '../../store/rows/requests/inventory-rows.ts';
import {
  copyRequest,
  moveRequest,
  newestVersion,
  type RequestRow,
} from '../../store/rows/requests/request-rows.ts';
import { moveRound, type RoundRow } from '../../store/rows/requests/round-rows.ts';
import { failUnits } from '../../store/rows/requests/unit-rows.ts';
import { setPaused } from '../../store/rows/workflows/pause-rows.ts';
import type { Script } from '../../store/script.ts';
import { notifyRequest } from '../notify/order-notifications.ts';
import { cancelWorkflow } from '../operate/cancel-workflow.ts';
import { recordRequest, requestLabel } from '../records/record-request.ts';
import { creditUnits } from '../rounds/credit-units.ts';
import { invalidateOutputs, orderRegistration } from '../rounds/output-errands.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { type TakenRequest, takeRequest } from './needed-request.ts';
import { queueRequest } from './store-request.ts';

export function changeOf(
  request: Pick<RequestRow, 'name' | 'version' | 'state'>,
  status: RequestState,
  message: string,
): RequestChange {
  return { request_name: request.name, status, previous_status: request.state, message };
}

/** A server plans the next round by itself; a request that no server works on waits for a person. */
export function followingRound({ name, shared }: Pick<RequestRow, 'name' | 'shared'>): string {
  return shared === 1 ? 'the next round is planned' : `\`holdfast requests run ${name}\` continues it`;
}

/** 409, with the states in which the action is possible. */
export function wrongState(
  { name, version, state }: RequestRow,
  action: string,
  allowed: readonly RequestState[],
): HoldfastError {
  return new HoldfastError('REQUEST_STATE', {
    name: requestLabel({ name, version }),
    state,
    action,
    allowed: allowed.join(', '),
  });
}

const NOT_ENDED = REQUEST_STATES.filter((state) => !requestHasEnded(state));

/** Ends a request as FAILED: what runs is canceled, and its outputs are not to be used any more. */
export function* failRequest(
  ref: string,
  action: RequestAction,
  now: number,
  isAlive: IsAlive,
): Script<RequestChange> {
  const taken = yield* takeRequest(ref);
  const { request } = taken;
  if (requestHasEnded(request.state)) throw wrongState(request, 'fail', NOT_ENDED);
  const change = changeOf(request, 'FAILED', 'failed; its outputs are invalidated');
  if (action.dry_run === true) return change;
  yield* endAsFailed(taken, action, now, isAlive);
  const by = `failed by ${action.actor}${action.reason === undefined ? '' : `: ${action.reason}`}`;
  yield* notifyRequest(request, 'failed', { state: 'FAILED', reason: by }, now);
  yield* invalidateOutputs(request, { actor: action.actor, reason: action.reason ?? null }, now);
  return change;
}

/** Ends a request as FAILED and queues it again as the next version. Outputs follow the cleanup policy. */
export function* restartRequest(
  ref: string,
  action: RequestAction,
  now: number,
  isAlive: IsAlive,
): Script<RestartedRequest> {
  const taken = yield* takeRequest(ref);
  const { request } = taken;
  if (requestHasEnded(request.state)) throw wrongState(request, 'restart', NOT_ENDED);
  yield* lockKey(`request ${request.name}`);
  const version = (yield* newestVersion(request.name))! + 1;
  const label = requestLabel({ name: request.name, version });
  const change = {
    ...changeOf(request, 'FAILED', `failed; ${label} replaces it`),
    new_request: request.name,
    new_version: version,
  };
  if (action.dry_run === true) return change;
  const { gained } = yield* endAsFailed(taken, action, now, isAlive);
  // They stay valid until the next version is complete.
  if (gained > 0n) yield* orderRegistration(request, taken.workflow!, now);
  const id = yield* copyRequest(request.id, version, action.actor, now);
  yield* copyItems(request.id, id);
  yield* queueRequest(id, action.actor, now);
  return change;
}

function* endAsFailed(
  { request, round, workflow }: TakenRequest,
  { actor, reason }: RequestAction,
  now: number,
  isAlive: IsAlive,
): Script<{ gained: bigint }> {
  yield* moveRequest(request, 'FAILED', now);
  yield* recordRequest(
    request,
    'request_failed',
    { actor, from: request.state, reason: reason ?? null },
    now,
  );
  if (round === null || workflow === null) return { gained: 0n };
  let gained = 0n;
  if (FAILING.includes(round.state)) {
    const credit = yield* creditUnits(request, workflow, failUnits);
    yield* moveRound(round, 'FAILED');
    gained = credit.gained;
  }
  // The run ends with its last job; the request has ended by then.
  const words = `request ${requestLabel(request)} was failed`;
  yield* cancelWorkflow(workflow, { actor, reason: reason ?? words }, now, isAlive);
  return { gained };
}

/** Rounds that have not come to an end of their own. */
const FAILING: readonly RoundRow['state'][] = ['SUBMITTED', 'RUNNING', 'PARTIAL', 'STOPPED'];

const STOPPABLE: readonly RequestState[] = ['SUBMITTED', 'QUEUED', 'PLANNING', 'ACTIVE'];

/** A clean stop: running attempts end free of charge. Between rounds there is nothing to stop. */
export function* stopRequest(ref: string, action: StopAction, now: number): Script<RequestChange> {
  const { request, workflow } = yield* takeRequest(ref);
  const { actor, reason, pause = false, dry_run } = action;
  if (!STOPPABLE.includes(request.state)) throw wrongState(request, 'stop', STOPPABLE);
  if (request.state !== 'ACTIVE') {
    if (pause) return yield* pauseRequest(ref, action, now);
    return changeOf(request, request.state, 'nothing of it is running; `pause` keeps it out of the queue');
  }
  const then = pause ? 'it stays paused afterwards' : 'it returns to the queue afterwards';
  const change = changeOf(request, 'STOPPING', `stopping; finished units are kept, and ${then}`);
  if (dry_run === true) return change;
  yield* moveRequest(request, 'STOPPING', now, { pause_after_stop: pause });
  yield* setPaused(workflow!, 'stopped', { at: now, actor, reason: reason ?? null });
  yield* recordRequest(request, 'request_stopping', { actor, reason: reason ?? null, pause }, now);
  return change;
}

export function* pauseRequest(ref: string, action: RequestAction, now: number): Script<RequestChange> {
  const message = 'paused; `resume` puts it back into the queue';
  return yield* moveByHand(ref, action, { name: 'pause', to: 'PAUSED', message }, now);
}

export function* resumeRequest(ref: string, action: RequestAction, now: number): Script<RequestChange> {
  return yield* moveByHand(ref, action, { name: 'resume', to: 'QUEUED', message: 'back in the queue' }, now);
}

/** Between rounds a request only changes its state. */
const BY_HAND = { pause: requestStatesBefore('PAUSED'), resume: ['PAUSED'] } satisfies Record<
  string,
  RequestState[]
>;

function* moveByHand(
  ref: string,
  { actor, reason, dry_run }: RequestAction,
  { name, to, message }: { name: keyof typeof BY_HAND; to: RequestState; message: string },
  now: number,
): Script<RequestChange> {
  const { request } = yield* takeRequest(ref);
  const allowed: RequestState[] = BY_HAND[name];
  if (!allowed.includes(request.state)) throw wrongState(request, name, allowed);
  const change = changeOf(request, to, message);
  if (dry_run === true) return change;
  yield* moveRequest(request, to, now);
  yield* recordRequest(request, `request_${name}d`, { actor, reason: reason ?? null }, now);
  return change;
}
