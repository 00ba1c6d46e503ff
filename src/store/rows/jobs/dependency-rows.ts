import { countSet } from '../../../core/flow/count-set.ts';
import type { FlowTally } from '../../../core/flow/flow-part.ts';
import { idLists, inParts, valueRows } from '../../many-rows.ts';
import { all, changeAll, changeOne, first, insert, placeholders, run, type Script } from '../../script.ts';
import { writeSets } from '../flow/flow-move-rows.ts';

/** `size` counts a group of alternatives once. */
export function* insertDependencySet(workflowId: number, size: number): Script<number> {
  return yield* insert(
    'insert into dependency_set (workflow_id, size, remaining) values (?, ?, ?)',
    workflowId,
    size,
    size,
  );
}

/** So many sets without members; returns their ids. */
export function* insertEmptySets(workflowId: number, count: number): Script<number[]> {
  const ids: number[] = [];
  for (const part of inParts(Array<number>(count).fill(0))) {
    const { sql, values } = valueRows(part.map(() => [workflowId, 0, 0]));
    const rows = yield* all<{ id: number }>(
      `insert into dependency_set (workflow_id, size, remaining) ${sql} returning id`,
      ...values,
    );
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

export function* insertDependencyMembers(members: readonly Membership[]): Script<void> {
  for (const part of inParts(members)) {
    const { sql, values } = valueRows(part.map(({ set_id, job_id, kind }) => [set_id, job_id, kind]));
    yield* changeAll(part.length, `insert into dependency_member (set_id, job_id, kind) ${sql}`, ...values);
  }
}

/** All sets of a workflow with their members. */
export function* listMembersIn(workflowId: number): Script<Membership[]> {
  return yield* all<Membership>(
    `select set_id, job_id, kind from dependency_member join dependency_set on dependency_set.id = set_id
     where workflow_id = ?`,
    workflowId,
  );
}

/** These jobs are members of no set any more. */
export function* deleteMembershipsOf(jobIds: readonly number[]): Script<void> {
  for (const list of idLists(jobIds)) {
    yield* run(`delete from dependency_member where job_id in ${placeholders(list.length)}`, ...list);
  }
}

/** Removes sets that no job waits for, whose members would be counted for nothing. */
export function* deleteUnusedSets(workflowId: number): Script<void> {
  const unused = `select id from dependency_set where workflow_id = ? and not exists (
    select 1 from job where job.dependency_set_id = dependency_set.id)`;
  yield* run(`delete from dependency_member where set_id in (${unused})`, workflowId);
  yield* run(`delete from dependency_set where id in (${unused})`, workflowId);
}

/** Sets that lost their last member have nothing to wait for. */
export function* clearEmptySets(workflowId: number): Script<void> {
  yield* run(
    `update dependency_set set size = 0, remaining = 0, unsuccessful = 0, disabled = 0
     where workflow_id = ? and size > 0 and not exists (
       select 1 from dependency_member where dependency_member.set_id = dependency_set.id)`,
    workflowId,
  );
}

export interface SetProgress {
  id: number;
  remaining: number;
  unsuccessful: number;
  disabled: number;
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

/** Counts a set anew from how its members are settled. */
export function* recountSet(setId: number): Script<SetProgress> {
  const tally = yield* all<FlowTally>(
    `select kind, settled, count(*) as count from dependency_member join job on job.id = dependency_member.job_id
     where set_id = ? group by kind, settled`,
    setId,
  );
  const counts = countSet(tally);
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
export function* recountSetsOf(jobIds: readonly number[]): Script<void> {
  yield* recountSetsIn((yield* listMembershipsOf(jobIds)).map(({ set_id }) => set_id));
}

/** Counts all sets of a workflow anew. */
export function* recountSets(workflowId: number): Script<void> {
  const rows = yield* all<SetTally>(
    `${SELECT_TALLIES} join dependency_set on dependency_set.id = dependency_member.set_id
     where dependency_set.workflow_id = ? ${BY_SET}`,
    workflowId,
  );
  yield* writeTallies(rows);
}

/** Counts these sets anew; each has members. */
export function* recountSetsIn(setIds: readonly number[]): Script<void> {
  for (const list of idLists([...new Set(setIds)])) {
    const where = `where dependency_member.set_id in ${placeholders(list.length)}`;
    yield* writeTallies(yield* all<SetTally>(`${SELECT_TALLIES} ${where} ${BY_SET}`, ...list));
  }
}

type SetTally = FlowTally & { set_id: number };

const SELECT_TALLIES = `select dependency_member.set_id, kind, settled, count(*) as count from dependency_member
  join job on job.id = dependency_member.job_id`;
const BY_SET = 'group by dependency_member.set_id, kind, settled';

function* writeTallies(rows: readonly SetTally[]): Script<void> {
  const tallies = new Map<number, FlowTally[]>();
  for (const { set_id, ...tally } of rows) tallies.set(set_id, [...(tallies.get(set_id) ?? []), tally]);
  yield* writeSets([...tallies].map(([id, tally]) => ({ id, ...countSet(tally) })));
}

export function* listDependencies(
  jobId: number,
): Script<{ job_id: number; name: string; scope: string; status: number }[]> {
  return yield* all<{ job_id: number; name: string; scope: string; status: number }>(
    `select needed.id as job_id, needed.name, needed.scope, needed.status from job
     join dependency_member on dependency_member.set_id = job.dependency_set_id
     join job needed on needed.id = dependency_member.job_id
     where job.id = ? and needed.blueprint < 2 order by needed.id`,
    jobId,
  );
}

/** Members of the sets, in the order of their ids. */
export function* listMembersOf(setIds: readonly number[]): Script<Membership[]> {
  const links: Membership[] = [];
  for (const list of idLists(setIds)) {
    const where = `where set_id in ${placeholders(list.length)}`;
    links.push(
      ...(yield* all<Membership>(`select set_id, job_id, kind from dependency_member ${where}`, ...list)),
    );
  }
  return links.sort((a, b) => a.set_id - b.set_id || a.job_id - b.job_id);
}
