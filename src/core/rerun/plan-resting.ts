import { jobLabel } from '../job/job-label.ts';
import { TERMINAL_STATUSES } from '../job/job-status.ts';
import type { ComparedRow, ComparedWorkflows } from './compare-workflows.ts';
import type { StoredRow } from './edited-workflow.ts';
import { keyOf, outermostList, producerOfItems } from './item-scope.ts';
import {
  addedJobs,
  completePlan,
  copiesOf,
  isChanged,
  isReplaced,
  type PlannedJobs,
  plannedRow,
  removedRow,
  revivedWrites,
  writeOf,
} from './planned-jobs.ts';
import { type Node, nodeOfNew, RerunGraph } from './rerun-graph.ts';
import { didNotSucceed, type RerunReason } from './rerun-reason.ts';
import type { UpdatedRow } from './update-plan.ts';

/** What there is after the update. */
interface Layout {
  compared: ComparedWorkflows;
  /** Rows that stay. */
  rows: ComparedRow[];
  added: UpdatedRow[];
  /** Ids of rows that are removed. */
  gone: ReadonlySet<number>;
  /** Ids of rows that stand for items again. */
  renews: ReadonlySet<number>;
}

/**
 * No process drives the run: everything becomes what the edited spec says. What is different, what did not complete,
 * and all that is downstream of either runs again; everything else keeps its result.
 */
export function planResting(compared: ComparedWorkflows): PlannedJobs {
  const { stored, edited, matched } = compared;
  const layout = layOut(compared);
  const { rows, added, gone, renews } = layout;
  const seeds = seedsOf(layout);
  const below = graphOf(layout).below(seeds, producers(layout));
  const labelOf = (node: Node) => jobLabel(node < 0 ? edited.jobs[-1 - node]! : matched.rows.get(node)!);
  const reasonFor = (node: Node): RerunReason | null => {
    const because = below.get(node);
    if (because === undefined) return null;
    if (because !== null) return { kind: 'upstream', job: labelOf(because) };
    return seeds.get(node) ?? { kind: 'items_changed' };
  };

  const isNewRun =
    rows.some(({ row }) => below.has(row.id) && !row.is_fresh) || (!stored.is_open && below.size > 0);
  const jobs: UpdatedRow[] = [];
  const resets: number[] = [];
  for (const each of rows) {
    const { row } = each;
    if (isReplaced(each) && !renews.has(row.id)) continue;
    const startsOver = below.has(row.id);
    const isUnfinished = !TERMINAL_STATUSES.has(row.status) || didNotSucceed(row.status);
    if (startsOver || (isNewRun && isUnfinished)) resets.push(row.id);
    if (isReplaced(each)) continue;
    if (startsOver && !row.is_fresh) jobs.push(plannedRow(each, 'run_again', reasonFor(row.id)));
    else if (isChanged(each)) jobs.push(plannedRow(each, each.reason === null ? 'policy' : 'change'));
  }
  jobs.push(...added);
  jobs.push(
    ...matched.orphans.filter(({ blueprint }) => blueprint !== 2).map((row) => removedRow(row, 'remove')),
  );
  const writes = [
    ...rows
      .filter(({ difference, waits }) => difference.is_written || waits)
      .map((each) => writeOf(each, edited.jobs[each.edited]!.dependency_set)),
    ...revivedWrites(compared, added),
  ];
  const isAny = isNewRun || jobs.length > 0 || writes.length > 0;
  const mode = isNewRun ? 'new_run' : isAny ? 'same_run' : 'nothing';
  const [removes, renewed] = [[...gone], [...renews]];
  return completePlan(compared, rows, added, { mode, jobs, writes, resets, removes, renews: renewed });
}

function layOut(compared: ComparedWorkflows): Layout {
  const { matched, renewed } = compared;
  const isRenewed = ({ scope }: StoredRow) => scope !== '' && renewed.has(outermostList(scope));
  const isGone = ({ row, is_copy }: ComparedRow) => is_copy && isRenewed(row);
  const rows = compared.rows.filter((each) => !isGone(each));
  return {
    compared,
    rows,
    added: addedJobs(compared),
    gone: new Set(
      [...matched.orphans, ...compared.rows.filter(isGone).map(({ row }) => row)].map(({ id }) => id),
    ),
    renews: new Set(rows.filter((each) => isReplaced(each) && isRenewed(each.row)).map(({ row }) => row.id)),
  };
}

/** Jobs that run again because of themselves, with the reason. */
function seedsOf({ compared: { edited }, rows, added, renews }: Layout): Map<Node, RerunReason> {
  const seeds = new Map<Node, RerunReason>();
  for (const each of rows) {
    const { row, reason } = each;
    if (renews.has(row.id)) seeds.set(row.id, reason ?? { kind: 'items_changed' });
    if (isReplaced(each) || each.rests_on_call) continue;
    // The list is there and has no items: whatever the steps of its items are, none of them runs.
    if (row.blueprint === 1 && row.status === 'disabled') continue;
    if (reason !== null) seeds.set(row.id, reason);
    else if (didNotSucceed(row.status)) seeds.set(row.id, { kind: 'unsuccessful', status: row.status });
  }
  for (const job of added) {
    if (!edited.jobs[job.edited!]!.on_call) seeds.set(nodeOfAdded(job), job.reason);
  }
  return seeds;
}

/** Who waits for whom after the update. */
function graphOf({ compared, rows, added, gone }: Layout): RerunGraph {
  const { stored, edited, matched, known_sets } = compared;
  const setOf = (place: number): number | null => {
    const set = edited.jobs[place]!.dependency_set;
    return set === null ? null : (known_sets.get(set) ?? -1 - set);
  };
  const waits = new Map<Node, number>();
  const wait = (node: Node, set: number | null) => {
    if (set !== null) waits.set(node, set);
  };
  for (const { row, edited: place, waits: isOther } of rows) {
    if (row.blueprint !== 2 || isOther) wait(row.id, isOther ? setOf(place) : row.dependency_set_id);
  }
  for (const job of added) wait(nodeOfAdded(job), setOf(job.edited!));
  const places = new Map(added.map((job) => [job.edited!, nodeOfAdded(job)]));
  const copies = copiesOf(compared, gone);
  // A set of the edited spec is -1 less its place.
  return new RerunGraph(waits, (set) => {
    if (set >= 0) {
      const members = (stored.sets.get(set) ?? []).map(({ job_id }) => job_id);
      return gone.size === 0 ? members : members.filter((id) => !gone.has(id));
    }
    return edited.sets[-1 - set]!.flatMap(({ job }) => [
      matched.own[job]?.id ?? places.get(job)!,
      ...(copies.get(job) ?? []),
    ]);
  });
}

/** A job that stands for items is replaced by them when its list is put out, and only then: the list has to be, too. */
function producers({ compared: { edited }, rows, added, renews }: Layout) {
  const scopes = new Map<Node, string>();
  for (const { row } of rows) if (row.blueprint === 1 || renews.has(row.id)) scopes.set(row.id, row.scope);
  for (const job of added) if (edited.jobs[job.edited!]!.blueprint) scopes.set(nodeOfAdded(job), job.scope);
  if (scopes.size === 0) return () => [];
  const nodes = new Map<string, Node>();
  // One that has not completed puts out its list anyway.
  for (const { row } of rows) {
    if (row.status === 'completed' || renews.has(row.id)) nodes.set(keyOf(row), row.id);
  }
  return (node: Node): Node[] => {
    const scope = scopes.get(node);
    const producer = scope === undefined ? undefined : nodes.get(keyOf(producerOfItems(scope)));
    return producer === undefined ? [] : [producer];
  };
}

function nodeOfAdded({ row, edited }: UpdatedRow): Node {
  return row?.id ?? nodeOfNew(edited!);
}
