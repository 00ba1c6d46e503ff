import { idLists } from './many-rows.ts';
import { all, changeOne, first, insert, placeholders, type Script } from './script.ts';

/** How a member's end is counted in a set: it must succeed, it must have ended, or one of its group must succeed. */
export const MEMBER_PLAIN = 0;
export const MEMBER_JOINED = -1;

/** How a job's end counts for its dependents. */
export type Settled = 'succeeded' | 'failed' | 'disabled';

/** `size` counts a group of alternatives once. */
export function* insertDependencySet(workflowId: number, size: number): Script<number> {
  return yield* insert(
    'insert into dependency_set (workflow_id, size, remaining) values (?, ?, ?)',
    workflowId,
    size,
    size,
  );
}

export function* insertDependencyMember(setId: number, jobId: number, kind = MEMBER_PLAIN): Script<void> {
  yield* changeOne(
    'insert into dependency_member (set_id, job_id, kind) values (?, ?, ?)',
    setId,
    jobId,
    kind,
  );
}

export interface SetProgress {
  id: number;
  remaining: number;
  unsuccessful: number;
  disabled: number;
}

/** The job has ended: how the sets stand that it is a member of. */
export function* countDown(jobId: number, as: Settled): Script<SetProgress[]> {
  const links = yield* listMemberships(jobId);
  const sets: SetProgress[] = [];
  if (links.some(({ kind }) => kind === MEMBER_PLAIN)) {
    // In id order, so that two writers cannot wait for each other.
    sets.push(
      ...(yield* all<SetProgress>(
        `update dependency_set set remaining = remaining - 1, unsuccessful = unsuccessful + ?, disabled = disabled + ?
         where id in (select set_id from dependency_member where job_id = ? and kind = 0 order by set_id)
         returning id, remaining, unsuccessful, disabled`,
        as === 'failed' ? 1 : 0,
        as === 'disabled' ? 1 : 0,
        jobId,
      )),
    );
  }
  for (const { set_id, kind } of links) {
    if (kind === MEMBER_JOINED) {
      sets.push(yield* countSuccesses(set_id, 1));
    } else if (kind > 0) sets.push(yield* recountSet(set_id));
  }
  return sets;
}

/** A job is a member of a set, and this is how it counts in it. */
export interface Membership {
  set_id: number;
  job_id: number;
  kind: number;
}

/** The sets that the jobs are members of, in the order of their ids. */
export function* listMembershipsOf(jobIds: readonly number[]): Script<Membership[]> {
  const links: Membership[] = [];
  for (const list of idLists(jobIds)) {
    links.push(
      ...(yield* all<Membership>(
        `select set_id, job_id, kind from dependency_member where job_id in ${placeholders(list.length)}`,
        ...list,
      )),
    );
  }
  return links.sort((a, b) => a.set_id - b.set_id || a.job_id - b.job_id);
}

/** As many members of the set have succeeded, none of them one of several alternatives. */
export function* countSuccesses(setId: number, count: number): Script<SetProgress> {
  return (yield* first<SetProgress>(
    `update dependency_set set remaining = remaining - ? where id = ?
     returning id, remaining, unsuccessful, disabled`,
    count,
    setId,
  ))!;
}

export function* listMemberships(jobId: number): Script<{ set_id: number; kind: number }[]> {
  return yield* all<{ set_id: number; kind: number }>(
    'select set_id, kind from dependency_member where job_id = ? order by set_id',
    jobId,
  );
}

export function* findSet(setId: number): Script<SetProgress> {
  return (yield* first<SetProgress>(
    'select id, remaining, unsuccessful, disabled from dependency_set where id = ?',
    setId,
  ))!;
}

/** A member that did not succeed, of a set that has one. */
export function* findFailedMember(setId: number): Script<{ id: number; name: string }> {
  return (yield* first<{ id: number; name: string }>(
    `select job.id, job.name from dependency_member join job on job.id = dependency_member.job_id
     where set_id = ? and kind >= 0 and settled = 'failed' order by job.id limit 1`,
    setId,
  ))!;
}

/** Members because of which the dependents of a set are canceled. */
export function* listFailedMembers(setId: number): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select job.id from dependency_member join job on job.id = dependency_member.job_id
     where set_id = ? and kind >= 0 and settled = 'failed'`,
    setId,
  );
  return rows.map(({ id }) => id);
}

/** Counts a set anew from how its members are settled. */
export function* recountSet(setId: number): Script<SetProgress> {
  const rows = yield* all<{ kind: number; settled: Settled | null; count: number }>(
    `select kind, settled, count(*) as count from dependency_member join job on job.id = dependency_member.job_id
     where set_id = ? group by kind, settled`,
    setId,
  );
  const counts = { size: 0, remaining: 0, unsuccessful: 0, disabled: 0 };
  const groups = new Map<number, Set<Settled | null>>();
  for (const { kind, settled, count } of rows) {
    if (kind > 0) {
      groups.set(kind, (groups.get(kind) ?? new Set()).add(settled));
      continue;
    }
    counts.size += count;
    if (settled === null) counts.remaining += count;
    else if (kind === MEMBER_PLAIN && settled === 'failed') counts.unsuccessful += count;
    else if (kind === MEMBER_PLAIN && settled === 'disabled') counts.disabled += count;
  }
  for (const ends of groups.values()) {
    counts.size += 1;
    if (ends.has('succeeded')) continue;
    if (ends.has(null)) counts.remaining += 1;
    else if (ends.has('failed')) counts.unsuccessful += 1;
    else counts.disabled += 1;
  }
  yield* changeOne(
    'update dependency_set set size = ?, remaining = ?, unsuccessful = ?, disabled = ? where id = ?',
    counts.size,
    counts.remaining,
    counts.unsuccessful,
    counts.disabled,
    setId,
  );
  return { id: setId, ...counts };
}

/** Counts anew every set that one of the jobs is a member of. */
export function* recountSetsOf(jobIds: readonly number[]): Script<SetProgress[]> {
  const sets = new Set<number>();
  for (const id of jobIds) for (const { set_id } of yield* listMemberships(id)) sets.add(set_id);
  const progress: SetProgress[] = [];
  for (const id of [...sets].sort((a, b) => a - b)) progress.push(yield* recountSet(id));
  return progress;
}

/** Counts all sets of a workflow anew. */
export function* recountSets(workflowId: number): Script<void> {
  const rows = yield* all<{ id: number }>(
    'select id from dependency_set where workflow_id = ? order by id',
    workflowId,
  );
  for (const { id } of rows) yield* recountSet(id);
}

export function* listDependencies(
  jobId: number,
): Script<{ job_id: number; name: string; scope: string; status: number }[]> {
  return yield* all<{ job_id: number; name: string; scope: string; status: number }>(
    `select needed.id as job_id, needed.name, needed.scope, needed.status from job
     join dependency_member on dependency_member.set_id = job.dependency_set_id
     join job needed on needed.id = dependency_member.job_id
     where job.id = ? and needed.blueprint <> 2 order by needed.id`,
    jobId,
  );
}

/** Members of a set, as they are to be copied. */
export function* listMembers(setId: number): Script<{ job_id: number; kind: number }[]> {
  return yield* all<{ job_id: number; kind: number }>(
    'select job_id, kind from dependency_member where set_id = ? order by job_id',
    setId,
  );
}
