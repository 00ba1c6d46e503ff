import { unlessHeldBack } from '../../../core/flow/hold-back.ts';
import {
  type BlockedWait,
  blocked,
  claimable,
  type EndedState,
  type FullState,
  type LiveState,
  type ReadyState,
  type ReadyWait,
  ready,
} from '../../../core/job/full-state.ts';
import { JOB_STATUS, type JobStatus } from '../../../core/job/job-status.ts';
import { assertTransition } from '../../../core/job/status-transitions.ts';
import type { Avoidance } from '../../../core/placement/eligibility.ts';
import { idLists } from '../../many-rows.ts';
import {
  change,
  changeAll,
  changeOne,
  first,
  placeholders,
  run,
  type Script,
  type SqlValue,
} from '../../script.ts';
import { type StateChange, stateChange, statusList } from './state-change.ts';
import { HELD_BACK, STATE_ASSIGNMENTS, stateValues, WAITS_FOR_RETRY } from './state-columns.ts';

/** A job as it was read; its transition is refused if it has another attempt by now. */
interface ReadJob {
  id: number;
  attempt_id: number;
}

const LIVE: readonly LiveState['status'][] = ['pending', 'running'];

/** Compare-and-set on status and attempt. The whole state is written, so that nothing is left of the one before. */
function* move(job: ReadJob, from: readonly JobStatus[], to: FullState, reason: string): Script<void> {
  for (const status of from) if (status !== to.status) assertTransition(status, to.status);
  yield* changeOne(
    `update job set ${STATE_ASSIGNMENTS}, reason = ? where id = ? and attempt_id = ? and status in ${statusList(from)}`,
    ...stateValues(to),
    reason,
    job.id,
    job.attempt_id,
  );
}

/** → ready; or blocked, if it could be claimed and a dependency runs again meanwhile. Returns which. */
function* moveToReady(
  job: ReadJob,
  from: readonly JobStatus[],
  to: ReadyState,
  reason: string,
): Script<'ready' | 'blocked'> {
  const set = to.waiting.for === 'worker' ? yield* findAwaitedSet(job.id) : null;
  const state = unlessHeldBack(to, set);
  yield* move(job, from, state, reason);
  return state.status;
}

/** The dependencies of a job; null if it has none, or serves a call. */
function* findAwaitedSet(jobId: number): Script<{ remaining: number } | null> {
  const set = yield* first<{ remaining: number }>(
    `select remaining from dependency_set
     where id = (select dependency_set_id from job where job.id = ? and serves is null)`,
    jobId,
  );
  return set ?? null;
}

/** pending, running → ready: the job waits for its next attempt; or blocked. Returns which. */
export function* toRetry(
  job: ReadJob,
  waiting: ReadyWait,
  avoids: Avoidance | null,
  reason: string,
): Script<'ready' | 'blocked'> {
  return yield* moveToReady(job, LIVE, ready(waiting, avoids), reason);
}

/** pending, running → blocked: the attempt calls steps, went back, or was overtaken. */
export function* toBlocked(job: ReadJob, waiting: BlockedWait, reason: string): Script<void> {
  yield* move(job, LIVE, blocked(waiting), reason);
}

/** pending, running → pending_failed: the job waits for a decision. */
export function* toPendingFailed(job: ReadJob, reason: string): Script<void> {
  yield* move(job, LIVE, { status: 'pending_failed' }, reason);
}

/** pending, running → ended for good, as `state` says. */
export function* toEnded(job: ReadJob, state: EndedState, reason: string): Script<void> {
  yield* move(job, LIVE, state, reason);
}

/** pending_failed → failed: this was decided. */
export function* toDecidedFailed(job: ReadJob, reason: string): Script<void> {
  yield* move(job, ['pending_failed'], { status: 'failed' }, reason);
}

/** ready → failed or terminated: it could not be started in time. */
export function* toGivenUp(job: ReadJob, status: 'failed' | 'terminated', reason: string): Script<void> {
  yield* move(job, ['ready'], { status }, reason);
}

/** A user has it retried, without delay: ready; or blocked. */
export function* toReadyAgain(
  job: ReadJob,
  from: 'failed' | 'terminated' | 'pending_failed',
  reason: string,
): Script<void> {
  yield* moveToReady(job, [from], claimable(), reason);
}

/** To be claimed for an attempt that has been made already, whatever it waited for. */
export function* toReadyForResult(job: ReadJob, from: 'ready' | 'failed', reason: string): Script<void> {
  yield* move(job, [from], claimable(), reason);
}

/**
 * `status + 0` keeps PostgreSQL off the index by status, which has jobs of all workflows: these rows are found by their
 * ids.
 */
const STATUS = 'status + 0';

const TO_PENDING = stateChange(['ready'], { status: 'pending', order: null, overtaken: false });
const TO_RUNNING: StateChange = { to: `status = ${JOB_STATUS.running}`, from: statusList(['pending']) };
const TO_COMPLETED = stateChange(LIVE, { status: 'completed' });
const TO_ENDING: StateChange = { to: `ending = 'retry'`, from: statusList(['running']) };
const TO_READY_AGAIN = stateChange(['failed', 'terminated'], claimable());
const BLOCKED_AGAIN = stateChange(['ready'], blocked({ for: 'dependencies' }));

/** ready → pending with the next attempt number. */
export function* toPending(jobIds: readonly number[]): Script<void> {
  const assignments = ', attempt_id = attempt_id + 1, reason = null';
  yield* moveAll(jobIds, TO_PENDING, assignments, ' and waiting_for is null');
}

/** pending → running. An order to end the attempt stays as it is. */
export function* toRunning(jobIds: readonly number[]): Script<void> {
  yield* moveAll(jobIds, TO_RUNNING);
}

/** pending, running → completed, and counted as such by its dependents. */
export function* toCompleted(jobIds: readonly number[], reason: string): Script<void> {
  yield* moveAll(jobIds, TO_COMPLETED, `, settled = 'succeeded', reason = ?`, '', reason);
}

/** Every one of them must be as `from` and the condition say; the workflow is locked, so that what was read of them still holds. */
function* moveAll(
  jobIds: readonly number[],
  { to, from }: StateChange,
  assignments = '',
  condition = '',
  ...values: SqlValue[]
): Script<void> {
  let left = jobIds.length;
  for (const list of idLists(jobIds)) {
    const count = Math.min(left, list.length);
    left -= count;
    yield* changeAll(
      count,
      `update job set ${to}${assignments}
       where id in ${placeholders(list.length)} and ${STATUS} in ${from}${condition}`,
      ...values,
      ...list,
    );
  }
}

const kept = (column: string) => `case when ${HELD_BACK} then null else ${column} end`;
const WOKEN = stateChange(['ready'], blocked({ for: 'dependencies' }), {
  status: `case when ${HELD_BACK} then ${JOB_STATUS.blocked} else status end`,
  avoid_worker_id: kept('avoid_worker_id'),
  avoid_site: kept('avoid_site'),
  avoid_until: kept('avoid_until'),
});

/** Jobs whose retry is due can be claimed; those with open dependencies are blocked. */
export function* wakeDueJobs(workflowId: number, now: number): Script<void> {
  yield* run(
    `update job set ${WOKEN.to}
     where workflow_id = ? and ${WAITS_FOR_RETRY} and waiting_until <= ?`,
    workflowId,
    now,
  );
}

/** The script has ended: the retry waits for its backoff only. False if no retry waited for it. */
export function* endWaitForRecovery(jobId: number, token: number): Script<boolean> {
  const released = yield* change(
    `update job set waiting_for = 'retry', waiting_token = null
     where id = ? and status = ${JOB_STATUS.ready} and waiting_for = 'recovery' and waiting_token = ?`,
    jobId,
    token,
  );
  return released === 1;
}

/** The attempts of running jobs are to be ended, and the jobs to be retried. */
export function* requestRetries(jobIds: readonly number[], actor: string, reason: string): Script<void> {
  yield* moveAll(jobIds, TO_ENDING, ', ending_actor = ?, reason = ?', ' and ending is null', actor, reason);
}

/** failed, terminated → ready, without delay; or blocked, where dependencies run again. */
export function* toReadyAgainAll(jobIds: readonly number[], reason: string): Script<void> {
  yield* moveAll(jobIds, TO_READY_AGAIN, ', reason = ?', '', reason);
  for (const list of idLists(jobIds)) {
    yield* run(
      `update job set ${BLOCKED_AGAIN.to}
       where id in ${placeholders(list.length)} and ${STATUS} in ${BLOCKED_AGAIN.from} and ${HELD_BACK}`,
      ...list,
    );
  }
}
