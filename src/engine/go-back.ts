import { jobLabel } from '../core/job-label.ts';
import { statusName } from '../core/job-status.ts';
import { findSet, recountSetsOf } from '../store/dependency-rows.ts';
import {
  blockUnstarted,
  hasSuperseded,
  listDownstream,
  listReentries,
  reenter,
  resumeAs,
  setReentry,
  setSettled,
  supersede,
} from '../store/job-route-rows.ts';
import { getJob, type JobRow } from '../store/job-rows.ts';
import { findCall, findRoute } from '../store/route-rows.ts';
import type { Script } from '../store/script.ts';
import { dropRoute, serveWaitingCall } from './run-calls.ts';
import { type RunOf, resolveBlocked } from './settle-dependents.ts';

/**
 * The target and everything after it in its scope will run again. What of it runs now is let finish, and counts for
 * nothing; the target starts when that has ended, so that gotos at the same time become one.
 */
export function* goBack(
  workflow: RunOf,
  jumper: { id: number; name: string; scope: string },
  target: JobRow,
  now: number,
): Script<void> {
  const ids = (yield* listDownstream(workflow.id, target.id, target.scope)).map(({ id }) => id);
  const again = new Set(ids);
  const outside = new Set<number>();
  for (const id of ids) if (yield* servesOutside(id, again)) outside.add(id);
  for (const id of ids) {
    const { route_token } = yield* getJob(id);
    if (route_token !== null && !outside.has(id)) yield* dropRoute(workflow, route_token, now);
  }
  const reason = `runs again: ${jobLabel(jumper)} went back to ${target.name}`;
  for (const id of ids) {
    const job = yield* getJob(id);
    // One that another caller has got hold of meanwhile serves it first, too.
    if (job.call_id !== null || (isLive(job) && id !== jumper.id)) {
      if (isLive(job)) yield* supersede(id);
      if (job.call_id !== null) yield* resumeAs(id, 'blocked');
      yield* setSettled(id, null);
    } else if (!isCanceledByUser(job)) yield* reenter(id, reason);
    // Also if it had only been called when it was canceled: what waits for it now waits for this run of it.
    else yield* setSettled(id, 'failed');
  }
  for (const { id, remaining } of yield* recountSetsOf(ids)) {
    // What joins the items of this scope from outside waits for them again, unless it has started.
    if (remaining > 0) yield* blockUnstarted(id, workflow.run_id);
  }
  yield* setReentry(target.id, true);
  for (const id of ids) if (yield* waitsForNobody(id)) yield* setReentry(id, true);
  yield* releaseReentries(workflow, now);
  // What has just become free may be called before its own turn comes.
  for (const id of ids) yield* serveWaitingCall(id);
}

/** Goals of gotos start when nothing that they overtook is left running in their scope. */
export function* releaseReentries(workflow: RunOf, now: number): Script<void> {
  for (const { id } of yield* listReentries(workflow.id)) {
    const job = yield* getJob(id);
    if (yield* hasSuperseded(workflow.id, job.scope)) continue;
    yield* setReentry(id, false);
    if (statusName(job.status) === 'blocked' && job.call_id === null) {
      yield* resolveBlocked(workflow, { ...job, reentry: 0 }, now);
    }
  }
}

function isLive({ status }: JobRow): boolean {
  const name = statusName(status);
  return name === 'pending' || name === 'running';
}

function isCanceledByUser(job: JobRow): boolean {
  return statusName(job.status) === 'canceled' && job.canceled_by === null;
}

/** Whether the job runs for somebody who is not part of what runs again; the outermost caller is what counts. */
function* servesOutside(jobId: number, again: ReadonlySet<number>): Script<boolean> {
  const { call_id } = yield* getJob(jobId);
  const call = call_id === null ? null : yield* findCall(call_id);
  if (call === null || call.state === 'dropped') return false;
  const caller = yield* getJob((yield* findRoute(call.route_token)).job_id);
  return caller.call_id === null ? !again.has(caller.id) : yield* servesOutside(caller.id, again);
}

/**
 * Nothing that runs again will tell the job that it can go on: one of several dependencies is enough and there already,
 * or one that does not run again has failed.
 */
export function* waitsForNobody(jobId: number): Script<boolean> {
  const { dependency_set_id, status } = yield* getJob(jobId);
  if (statusName(status) !== 'blocked' || dependency_set_id === null) return false;
  const { remaining, unsuccessful } = yield* findSet(dependency_set_id);
  return remaining === 0 || unsuccessful > 0;
}
