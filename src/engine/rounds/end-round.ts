import { decideRound, type RoundDecision, type UnitCounts } from '../../core/request/decide-round.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import { type RoundState, requestHasEnded } from '../../core/request/request-states.ts';
import { listJobsToReset } from '../../store/rows/jobs/reset-rows.ts';
import { listBadInputs } from '../../store/rows/requests/error-rows.ts';
import { excludeItems, markAttempted } from '../../store/rows/requests/inventory-rows.ts';
import {
  decodeModel,
  getRequestRow,
  lockRequest,
  moveRequest,
  type RequestRow,
} from '../../store/rows/requests/request-rows.ts';
import {
  countRescues,
  findRoundOf,
  moveRound,
  type RoundRow,
  setRoundEnd,
  startRound,
} from '../../store/rows/requests/round-rows.ts';
import { reopenUnits, settleUnits } from '../../store/rows/requests/unit-rows.ts';
import { findRun, setDriver } from '../../store/rows/workflows/run-rows.ts';
import type { Script } from '../../store/script.ts';
import { beginRun } from '../flow/begin-run.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { notifyRequest } from '../notify/order-notifications.ts';
import { ENGINE, recordRequest } from '../records/record-request.ts';
import { banFailingSites } from './ban-sites.ts';
import { completeRequest } from './complete-request.ts';
import { creditUnits } from './credit-units.ts';
import { orderRegistration } from './output-errands.ts';
import { settingsOf } from './request-settings.ts';
import { hasWorkLeft } from './work-left.ts';

/**
 * Level 2, in the transaction that ends a run of a round: units are counted, finished work is credited, failing sites are
 * banned, and the round is decided.
 */
export function* endRound(run: RunOf, now: number): Script<void> {
  const found = yield* findRoundOf(run.id);
  // A success that comes after its round was decided changes nothing: its items may be in another unit by now.
  if (found === undefined || !OPEN.includes(found.state)) return;
  yield* lockRequest(found.request_id);
  const request = yield* getRequestRow(found.request_id);
  if (requestHasEnded(request.state)) return;
  const model = decodeModel(request.model);
  const settings = settingsOf(request);

  const { units, delivered, gained } = yield* creditUnits(request, run, settleUnits);
  if (gained > 0n) yield* orderRegistration(request, run, now);
  const bans = yield* banFailingSites(request, run.id, model.sites, settings, now);

  const workLeft = yield* hasWorkLeft(request.id, model, delivered);
  const rescues = yield* countRescues(run.id);
  const decision = decideRound({ units, rescues, workLeft }, settings);
  const round = { ...found, state: endState(units) };
  yield* moveRound(found, round.state);
  yield* setRoundEnd(run.id, run.run_id, { units, decision, bans });
  yield* recordRequest(
    request,
    `round_${decision.kind}`,
    { round: round.number, run_id: run.run_id, units, reason: decision.reason },
    now,
  );
  const end: RoundEnd = { request, round, run, units, decision, settings, rescues };
  if (decision.kind === 'rescue') yield* rescue(end, now);
  else {
    yield* closeItems(end);
    if (decision.kind === 'hold') yield* hold(end, now);
    else yield* advance(end, now);
  }
}

const OPEN: readonly RoundState[] = ['SUBMITTED', 'RUNNING'];

interface RoundEnd {
  request: RequestRow;
  round: RoundRow;
  run: RunOf;
  units: UnitCounts;
  decision: RoundDecision;
  settings: ErrorSettings;
  rescues: number;
}

function endState({ total, done }: UnitCounts): RoundState {
  if (done === total) return 'COMPLETED';
  return done === 0 ? 'FAILED' : 'PARTIAL';
}

/** The next run of the round: units that are done stay done. */
function* rescue({ request, round, run }: RoundEnd, now: number): Script<void> {
  const jobs = yield* listJobsToReset(run.id, 'failed');
  yield* beginRun(run, jobs, { kind: 'failure', actor: ENGINE, failed_only: true }, now);
  yield* reopenUnits(run.id);
  yield* moveRound(round, 'SUBMITTED');
  if (request.state === 'STOPPING') {
    yield* moveRound({ ...round, state: 'SUBMITTED' }, 'STOPPED');
    yield* leaveStopping(request, now);
    return;
  }
  // The driver of the run continues with the next one at once.
  const { driver_id } = yield* findRun(run.id, run.run_id);
  if (driver_id === null) return;
  yield* setDriver(run.id, yield* findRun(run.id, run.run_id + 1), driver_id, now);
  yield* startRound(run.id);
}

/** Items of failed units: those that were named as bad are excluded, the others are tried again later. */
function* closeItems({ request, round, run }: RoundEnd): Script<void> {
  const bad = yield* listBadInputs(run.id, run.run_id);
  yield* excludeItems(request.id, bad, `named as bad by a job of round ${round.number}`, run.id);
  yield* markAttempted(run.id, `its unit failed in round ${round.number}`);
}

function* hold({ request, round, units, decision, settings, rescues }: RoundEnd, now: number): Script<void> {
  const facts = {
    code: decision.hold,
    round: round.number,
    failed_units: units.failed,
    total_units: units.total,
    failure_ratio: decision.failure_ratio,
    threshold: settings.error_hold_threshold,
    rescue_count: rescues,
    max_rescue_attempts: settings.error_max_rescue_attempts,
    text: decision.reason,
  };
  yield* moveRequest(request, 'HELD', now, { hold: JSON.stringify(facts) });
  yield* recordRequest(request, 'request_held', facts, now);
  yield* notifyRequest(request, 'held', { state: 'HELD', reason: facts.text }, now);
}

/** The round is over: the request is complete, or waits for its next round. */
function* advance({ request }: RoundEnd, now: number): Script<void> {
  const { delivered } = yield* getRequestRow(request.id);
  const model = decodeModel(request.model);
  // Items that were excluded just now are no work any more.
  const workLeft = yield* hasWorkLeft(request.id, model, BigInt(delivered));
  if (!workLeft) yield* completeRequest(request, model, now);
  else if (request.state === 'STOPPING') yield* leaveStopping(request, now);
  else yield* moveRequest(request, 'QUEUED', now);
}

/** STOPPING → RESUBMITTING → QUEUED, and PAUSED where that was asked for. */
export function* leaveStopping(request: RequestRow, now: number): Script<void> {
  yield* moveRequest(request, 'RESUBMITTING', now);
  yield* moveRequest({ ...request, state: 'RESUBMITTING' }, 'QUEUED', now, { pause_after_stop: false });
  const pauses = request.pause_after_stop === 1;
  if (pauses) yield* moveRequest({ ...request, state: 'QUEUED' }, 'PAUSED', now);
  yield* recordRequest(request, 'request_stopped', { state: pauses ? 'PAUSED' : 'QUEUED' }, now);
}
