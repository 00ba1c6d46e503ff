import type { EditedWorkflow, StoredRow, StoredWorkflow } from './edited-workflow.ts';
import { keyOf, outermostList, patternOf } from './item-scope.ts';

/** Which rows stand for which jobs of the edited spec. */
export interface MatchedRows {
  /** By id. */
  rows: ReadonlyMap<number, StoredRow>;
  /** By place in the edited spec: the row that the spec itself is about; one that was removed earlier counts as none. */
  own: (StoredRow | null)[];
  /** Rows of jobs that were removed earlier and are in the edited spec again, by place. */
  hidden: ReadonlyMap<number, StoredRow>;
  /** Rows of items, and steps on call in the scope of their callers, by place. */
  copies: ReadonlyMap<number, StoredRow[]>;
  /** Rows that the edited spec does not have; rows of items included. */
  orphans: StoredRow[];
}

/** Compares by name and scope. */
export function matchRows(stored: StoredWorkflow, edited: EditedWorkflow): MatchedRows {
  const left = new Map<string, StoredRow>();
  const rows = new Map<number, StoredRow>();
  for (const row of stored.jobs) {
    left.set(keyOf(row), row);
    rows.set(row.id, row);
  }
  const own: (StoredRow | null)[] = [];
  const hidden = new Map<number, StoredRow>();
  for (const [place, job] of edited.jobs.entries()) {
    const key = keyOf(job);
    const row = left.get(key) ?? null;
    left.delete(key);
    if (row?.blueprint === 3) hidden.set(place, row);
    own.push(row?.blueprint === 3 ? null : row);
  }
  return { rows, own, hidden, ...matchRest([...left.values()], edited) };
}

/** Rows whose names are not in the edited spec, or not in their scope. */
function matchRest(
  left: readonly StoredRow[],
  edited: EditedWorkflow,
): Pick<MatchedRows, 'copies' | 'orphans'> {
  const copies = new Map<number, StoredRow[]>();
  const orphans: StoredRow[] = [];
  const places = left.some(({ scope }) => scope !== '')
    ? new Map(edited.jobs.map((job, place) => [keyOf(job), place]))
    : new Map<string, number>();
  for (const row of left) {
    if (row.blueprint === 3) continue;
    const place = placeOfCopy(row, places);
    const known = place === undefined ? orphans : copies.get(place);
    if (known === undefined) copies.set(place!, [row]);
    else known.push(row);
  }
  return { copies, orphans };
}

/** A step on call is copied into the scope of its caller from the scope where it was written, or one around it. */
function placeOfCopy({ name, scope, on_call }: StoredRow, places: Map<string, number>): number | undefined {
  if (scope === '') return undefined;
  const pattern = patternOf(scope);
  const place = pattern === scope ? undefined : places.get(keyOf({ name, scope: pattern }));
  if (place !== undefined || !on_call) return place;
  for (let around = pattern; around !== ''; ) {
    around = around.slice(0, around.lastIndexOf(']/') + 1);
    const outer = places.get(keyOf({ name, scope: around }));
    if (outer !== undefined) return outer;
  }
  return undefined;
}

/** Lists whose items have been made. */
export function expandedLists(rows: readonly StoredRow[]): Set<string> {
  return new Set(rows.filter(({ blueprint }) => blueprint === 2).map(({ scope }) => outermostList(scope)));
}
