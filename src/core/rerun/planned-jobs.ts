import type { ComparedRow, ComparedWorkflows } from './compare-workflows.ts';
import type { StoredRow } from './edited-workflow.ts';
import type { RerunReason, UpdateAction } from './rerun-reason.ts';
import type { RowWrite, UpdatedRow, UpdatePlan } from './update-plan.ts';

/** Something about it is different for the user. */
export function isChanged({ reason, difference }: ComparedRow): boolean {
  return reason !== null || difference.fields.length > 0;
}

/** The row stands for jobs of items, which are there in its place. */
export function isReplaced({ row }: ComparedRow): boolean {
  return row.blueprint === 2;
}

export function plannedRow(
  { row, edited, difference: { fields }, reason }: ComparedRow,
  action: UpdateAction,
  because: RerunReason | null = reason,
): UpdatedRow {
  const { name, scope } = row;
  return { name, scope, row, edited, action, reason: because ?? { kind: 'policy_changed' }, fields };
}

export function removedRow(row: StoredRow, action: 'remove' | 'started' | 'canceled'): UpdatedRow {
  const { name, scope } = row;
  return { name, scope, row, edited: null, action, reason: { kind: 'removed' }, fields: [] };
}

/** Jobs that the edited spec has and the stored workflow does not; some of them had been removed by an earlier update. */
export function addedJobs({ edited, matched }: ComparedWorkflows): UpdatedRow[] {
  return edited.jobs.flatMap(({ name, scope }, place) => {
    if (matched.own[place] !== null) return [];
    const row = matched.hidden.get(place) ?? null;
    return { name, scope, row, edited: place, action: 'add' as const, reason: { kind: 'new' }, fields: [] };
  });
}

export function writeOf({ row, edited, difference, waits }: ComparedRow, set: number | null): RowWrite {
  return {
    row,
    edited,
    keeps_resources: row.specified !== null && !difference.resources_changed,
    ...(waits && { set }),
  };
}

/** Rows that had been removed by an earlier update are written anew. */
export function revivedWrites({ edited }: ComparedWorkflows, added: readonly UpdatedRow[]): RowWrite[] {
  return added.flatMap(({ row, edited: place }) =>
    row === null
      ? []
      : { row, edited: place!, keeps_resources: false, set: edited.jobs[place!]!.dependency_set },
  );
}

/** Rows of items that stay, by place. */
export function copiesOf(
  { matched }: ComparedWorkflows,
  gone: ReadonlySet<number>,
): ReadonlyMap<number, readonly number[]> {
  return new Map(
    [...matched.copies].map(([place, rows]) => [
      place,
      rows.filter(({ id, on_call }) => !on_call && !gone.has(id)).map(({ id }) => id),
    ]),
  );
}

/** A plan without what is about the workflow itself. */
export type PlannedJobs = Omit<UpdatePlan, 'workflow' | 'rows'>;

/** Adds what follows from the rows that stay and the jobs that are added. */
export function completePlan(
  compared: ComparedWorkflows,
  rows: readonly ComparedRow[],
  added: readonly UpdatedRow[],
  parts: Pick<UpdatePlan, 'mode' | 'jobs' | 'writes' | 'resets' | 'removes' | 'renews'>,
): PlannedJobs {
  return {
    ...parts,
    known_sets: compared.known_sets,
    inserts: added.flatMap(({ row, edited }) => (row === null ? edited! : [])),
    revives: added.flatMap(({ row }) => (row === null ? [] : row.id)),
    copies: copiesOf(compared, new Set(parts.removes)),
    unchanged: countUnchanged(rows, parts.jobs),
  };
}

/** How many of the rows are not in the plan. */
function countUnchanged(rows: readonly ComparedRow[], jobs: readonly UpdatedRow[]): number {
  const planned = jobs.filter(
    ({ row, edited, action }) => row !== null && edited !== null && action !== 'add',
  );
  return rows.filter((each) => !isReplaced(each)).length - planned.length;
}
