import { blocked, claimable } from '../../../core/job/full-state.ts';
import { idLists } from '../../many-rows.ts';
import { all, changeAll, placeholders, run, type Script } from '../../script.ts';
import { JOB_COLUMNS, type JobRow } from './job-rows.ts';
import { stateChange } from './state-change.ts';
import { AWAITS_DEPENDENCIES } from './state-columns.ts';

/** Statuses of jobs that start over, by what is asked for; `unfinished` leaves out what completed or is disabled. */
const CHOSEN = { failed: '(6, 7, 8, 10)', unfinished: '(0, 1, 2, 6, 7, 8, 10)' };

/** All jobs; or those that did not succeed, and everything downstream of them. */
export function* listJobsToReset(workflowId: number, which: 'all' | keyof typeof CHOSEN): Script<JobRow[]> {
  if (which === 'all') {
    return yield* all<JobRow>(
      `select ${JOB_COLUMNS} from job where workflow_id = ? and blueprint < 2 order by id`,
      workflowId,
    );
  }
  return yield* all<JobRow>(
    `with recursive chosen (id) as (
       select id from job where workflow_id = ? and status in ${CHOSEN[which]} and blueprint < 2
       union
       select dependent.id from chosen
       join dependency_member on dependency_member.job_id = chosen.id
       join job dependent on dependent.dependency_set_id = dependency_member.set_id and dependent.blueprint < 2
     )
     select ${JOB_COLUMNS} from job where id in (select id from chosen) order by id`,
    workflowId,
  );
}

const RESET = stateChange(
  [
    'uninitialized',
    'blocked',
    'ready',
    'pending_failed',
    'completed',
    'failed',
    'terminated',
    'canceled',
    'disabled',
  ],
  { status: 'uninitialized' },
);
const TO_DISABLED = stateChange(['uninitialized'], { status: 'disabled' });
const TO_BLOCKED = stateChange(['uninitialized'], blocked({ for: 'dependencies' }));
const TO_READY = stateChange(['uninitialized'], claimable(), { waiting_until: '? + scheduling_timeout' });

/** → uninitialized, as if they had never run; their attempts stay in the history of their run. */
export function* markReset(jobIds: readonly number[]): Script<void> {
  let left = jobIds.length;
  for (const list of idLists(jobIds)) {
    const count = Math.min(left, list.length);
    left -= count;
    yield* changeAll(
      count,
      `update job set ${RESET.to}, visit = 1, attempt_id = 0, serves = null, settled = null, reason = null
       where id in ${placeholders(list.length)} and status + 0 in ${RESET.from}`,
      ...list,
    );
  }
}

/** The same for jobs that an update had removed; their attempts are counted on, since some may be of this run. */
export function* markRevived(jobIds: readonly number[]): Script<void> {
  for (const list of idLists(jobIds)) {
    yield* run(
      `update job set ${RESET.to}, visit = 1, settled = null, reason = null where id in ${placeholders(list.length)}`,
      ...list,
    );
  }
}

/**
 * uninitialized → ready or blocked, by what the dependency sets say. Blocked ones whose sets are met or spoilt already,
 * because of jobs that were disabled or failed, are in `listUnresolved`.
 */
export function* startOver(workflowId: number, now: number): Script<void> {
  yield* run(
    `update job set ${TO_DISABLED.to}, settled = 'disabled'
     where workflow_id = ? and status in ${TO_DISABLED.from} and on_call = 1`,
    workflowId,
  );
  const open = `dependency_set_id is not null and exists (
    select 1 from dependency_set where dependency_set.id = job.dependency_set_id
      and (remaining > 0 or unsuccessful > 0 or disabled > 0))`;
  yield* run(
    `update job set ${TO_BLOCKED.to} where workflow_id = ? and status in ${TO_BLOCKED.from} and ${open}`,
    workflowId,
  );
  yield* run(
    `update job set ${TO_READY.to}
     where workflow_id = ? and status in ${TO_READY.from}`,
    now,
    workflowId,
  );
}

/** Blocked jobs whose dependencies have ended, or of which one failed. */
export function* listUnresolved(workflowId: number): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select job.id from job join dependency_set on dependency_set.id = job.dependency_set_id
     where job.workflow_id = ? and job.status in (1) and ${AWAITS_DEPENDENCIES} and blueprint = 0
       and (remaining = 0 or (unsuccessful > 0 and cancel_on_failure = 1)) order by job.id`,
    workflowId,
  );
  return rows.map(({ id }) => id);
}
