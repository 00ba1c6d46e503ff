import type { StaleReason } from '../files/stale-reason.ts';
import type { Requirement } from '../model/workflow-model.ts';
import { changedValues, readsChanged } from './changed-values.ts';
import { DependencyComparison } from './compare-dependencies.ts';
import { compareJob, type JobDifference } from './compare-job.ts';
import type { EditedWorkflow, StoredRow, StoredWorkflow } from './edited-workflow.ts';
import { canonical } from './field-kinds.ts';
import { outermostList } from './item-scope.ts';
import { expandedLists, type MatchedRows, matchRows } from './match-rows.ts';
import type { RerunReason } from './rerun-reason.ts';

/** A row, the job of the edited spec that it stands for, and what is different. */
export interface ComparedRow {
  row: StoredRow;
  /** Its place in the edited spec. */
  edited: number;
  /** It is of an item, or a step on call in the scope of its caller. */
  is_copy: boolean;
  /** It is not in the flow: it runs when a route calls it, before and after. */
  rests_on_call: boolean;
  difference: JobDifference;
  /** Why its result would be another one; null: it would not. */
  reason: RerunReason | null;
  /** It waits for others than before. */
  waits: boolean;
}

export interface ComparedWorkflows {
  stored: StoredWorkflow;
  edited: EditedWorkflow;
  matched: MatchedRows;
  /** In the order of the edited spec. */
  rows: ComparedRow[];
  /** Stored sets that edited ones are equal to, by place. */
  known_sets: ReadonlyMap<number, number>;
  /**
   * Lists whose items are there and whose steps are others, or wait for others: rows of items cannot be changed into
   * what they would be, so that the list is put out again and its items are made anew.
   */
  renewed: ReadonlySet<string>;
}

/** So many jobs are compared in one step. */
const STEP = 500;

export function* compareWorkflows(
  stored: StoredWorkflow,
  edited: EditedWorkflow,
  stale: ReadonlyMap<number, StaleReason>,
): Generator<void, ComparedWorkflows> {
  const matched = matchRows(stored, edited);
  yield;
  const { own, copies } = matched;
  const dependencies = new DependencyComparison(stored, edited, matched.rows);
  const values = changedValues(stored, edited);
  const requirements = sharedRequirements(stored, edited);
  const rows: ComparedRow[] = [];
  const known = new Map<number, number>();
  const compare = (row: StoredRow, place: number, isCopy: boolean) => {
    const job = edited.jobs[place]!;
    const before = stored.requirements.get(row.specified?.requirement_id ?? row.requirement_id)!;
    const difference = compareJob(row, job, { before, after: requirements[job.requirement]! });
    const waiting = isCopy ? null : dependencies.differ(row.dependency_set_id, job.dependency_set);
    if (!isCopy && waiting === null && row.dependency_set_id !== null && job.dependency_set !== null) {
      known.set(job.dependency_set, row.dependency_set_id);
    }
    rows.push({
      row,
      edited: place,
      is_copy: isCopy,
      rests_on_call: row.on_call && job.on_call,
      difference,
      reason: difference.reason ?? waiting ?? readsChanged(job.config, values) ?? stale.get(row.id) ?? null,
      waits: waiting !== null,
    });
  };
  for (const [place, row] of own.entries()) {
    if (place % STEP === 0) yield;
    if (row !== null) compare(row, place, false);
    for (const copy of copies.get(place) ?? []) compare(copy, place, true);
  }
  const renewed = renewedLists(stored, edited, own, rows);
  return { stored, edited, matched, rows, known_sets: known, renewed };
}

/** By place; one that is stored is the stored one. */
function sharedRequirements(stored: StoredWorkflow, edited: EditedWorkflow): Requirement[] {
  const known = new Map([...stored.requirements.values()].map((value) => [canonical(value), value]));
  return edited.requirements.map((value) => known.get(canonical(value)) ?? value);
}

function renewedLists(
  { jobs }: StoredWorkflow,
  edited: EditedWorkflow,
  own: MatchedRows['own'],
  rows: readonly ComparedRow[],
): Set<string> {
  const expanded = expandedLists(jobs);
  if (expanded.size === 0) return expanded;
  const changed = rows.filter(
    ({ row, waits, difference: { fields } }) =>
      row.blueprint === 2 && (waits || fields.includes('for_each') || fields.includes('on_call')),
  );
  const added = edited.jobs.filter(
    ({ blueprint, on_call }, place) => blueprint && !on_call && own[place] === null,
  );
  const lists = [...changed.map(({ row }) => row), ...added].map(({ scope }) => outermostList(scope));
  return new Set(lists.filter((list) => expanded.has(list)));
}
