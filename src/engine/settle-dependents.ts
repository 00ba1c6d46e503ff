import {
  countDown,
  countSuccesses,
  findFailedMember,
  findSet,
  type Membership,
  recountSet,
  type SetProgress,
  type Settled,
} from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { setSettled } from '../store/job-route-rows.ts';
import { type JobRow, listBlockedBySet, moveJob, releaseSet } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';

export interface RunOf {
  id: number;
  run_id: number;
}

interface SettledJob {
  id: number;
  name: string;
  as: Settled;
}

/**
 * A job has ended for good: jobs whose last dependency it was become ready; if it did not succeed, those
 * that mind are canceled, and so on down the graph; if it was disabled, so are they.
 */
export function* settleDependents(workflow: RunOf, job: SettledJob, now: number): Script<void> {
  const ended: SettledJob[] = [job];
  for (let next = ended.pop(); next !== undefined; next = ended.pop()) {
    yield* setSettled(next.id, next.as);
    for (const set of yield* countDown(next.id, next.as)) {
      ended.push(...(yield* followSet(workflow, set, next, now)));
    }
  }
}

/** What a set means for those who wait for it, now that it has changed. Returns the jobs that have ended by it. */
function* followSet(
  workflow: RunOf,
  set: SetProgress,
  because: { id: number; name: string },
  now: number,
): Script<SettledJob[]> {
  const ended: SettledJob[] = [];
  if (set.unsuccessful > 0) {
    for (const dependent of yield* listBlockedBySet(set.id)) {
      if (dependent.cancel_on_failure === 0) continue;
      ended.push(yield* cancelDependent(workflow, dependent, because, now));
    }
  }
  if (set.remaining > 0) return ended;
  if (set.disabled === 0) yield* releaseSet(set.id, set.unsuccessful > 0, now);
  else {
    for (const dependent of yield* listBlockedBySet(set.id)) {
      ended.push(yield* disableDependent(workflow, dependent, now));
    }
  }
  return ended;
}

/** Many jobs have succeeded, and are settled as such: the same for all of them, one set after another. */
export function* settleSuccesses(
  jobs: readonly { id: number; name: string; workflow_id: number; run_id: number }[],
  memberships: readonly Membership[],
  now: number,
): Script<void> {
  const members = new Map(jobs.map((job) => [job.id, job]));
  const sets = new Map<number, Membership[]>();
  for (const link of memberships) sets.set(link.set_id, [...(sets.get(link.set_id) ?? []), link]);
  for (const [setId, links] of sets) {
    const hasAlternatives = links.some(({ kind }) => kind > 0);
    const set = hasAlternatives ? yield* recountSet(setId) : yield* countSuccesses(setId, links.length);
    const last = members.get(links.at(-1)!.job_id)!;
    const workflow = { id: last.workflow_id, run_id: last.run_id };
    for (const ended of yield* followSet(workflow, set, last, now)) {
      yield* settleDependents(workflow, ended, now);
    }
  }
}

/** A blocked job whose set may have been met, or spoilt, while it was busy with something else. */
export function* resolveBlocked(workflow: RunOf, job: JobRow, now: number): Script<void> {
  const set: SetProgress | null =
    job.dependency_set_id === null ? null : yield* findSet(job.dependency_set_id);
  if (set !== null && set.unsuccessful > 0 && job.cancel_on_failure === 1) {
    const spoilt = yield* findFailedMember(set.id);
    yield* settleDependents(workflow, yield* cancelDependent(workflow, job, spoilt, now), now);
  } else if (set !== null && set.remaining > 0) return;
  else if (set !== null && set.disabled > 0) {
    yield* settleDependents(workflow, yield* disableDependent(workflow, job, now), now);
  } else yield* moveJob(job, ['blocked'], 'ready', { reason: job.reason ?? 'its dependencies are met' });
}

function* cancelDependent(
  workflow: RunOf,
  dependent: JobRow,
  because: { id: number; name: string },
  now: number,
): Script<SettledJob> {
  const reason = `its dependency ${because.name} did not succeed`;
  yield* moveJob(dependent, ['blocked'], 'canceled', { reason, canceled_by: because.id });
  yield* tell(workflow, dependent.id, 'cancel', reason, now);
  return { id: dependent.id, name: dependent.name, as: 'failed' };
}

function* disableDependent(workflow: RunOf, dependent: JobRow, now: number): Script<SettledJob> {
  const reason = 'what it depends on is disabled';
  yield* moveJob(dependent, ['blocked'], 'disabled', { reason });
  yield* tell(workflow, dependent.id, 'disable', reason, now);
  return { id: dependent.id, name: dependent.name, as: 'disabled' };
}

function* tell(
  workflow: RunOf,
  jobId: number,
  type: 'cancel' | 'disable',
  reason: string,
  now: number,
): Script<void> {
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: jobId,
    at: now,
    type,
    reason,
  });
}
