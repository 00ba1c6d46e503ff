import type { Allocator } from '../../contract/allocator.ts';
import type { AllocationEnd, AllocationView } from '../../contract/cluster.ts';
import { type AllocationRow, listAlive } from '../../store/rows/allocations/allocation-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { applyAbsence, applyView } from './apply-view.ts';

/** One question to the cluster about everything that was submitted, or may have been. Returns whether anything changed. */
export async function lookAtCluster(
  store: Store,
  { cluster, outputOf }: Allocator,
  workflowIds: readonly number[],
): Promise<boolean> {
  const { askedAt, rows } = await store.read(function* (now) {
    return { askedAt: now, rows: yield* listSubmitted(workflowIds) };
  });
  if (rows.length === 0) return false;
  const views = byTag(await cluster.list(rows.map(({ tag }) => tag)));
  const gone = rows.filter(({ tag, cluster_id }) => !views.has(tag) && cluster_id !== null);
  const ends: Map<string, AllocationEnd> =
    gone.length === 0 ? new Map() : await cluster.ends(gone.map(({ cluster_id }) => cluster_id!));
  const outputs = new Map<number, string>();
  for (const row of gone) {
    // Only of one whose worker never came is its output the reason.
    if (row.ever_came === 0) outputs.set(row.id, await outputOf(row.tag).catch(() => ''));
  }
  let changed = false;
  for (const workflowId of workflowIds) {
    const own = rows.filter((row) => row.workflow_id === workflowId);
    if (own.length === 0) continue;
    const moved = await store.write(function* (now) {
      yield* takeWorkflow(workflowId);
      let any = false;
      for (const row of own) {
        const view = chosenView(row, views.get(row.tag));
        const end = ends.get(row.cluster_id ?? '');
        const output = outputs.get(row.id) ?? '';
        const isMoved =
          view === undefined
            ? yield* applyAbsence(row, { end, output, askedAt }, now)
            : yield* applyView(row, view, now);
        any = isMoved || any;
      }
      return any;
    });
    changed = moved || changed;
  }
  const surplus = rows.flatMap((row) => surplusOf(row, views.get(row.tag)));
  if (surplus.length > 0) await cluster.cancel(surplus);
  return changed;
}

function* listSubmitted(workflowIds: readonly number[]): Script<AllocationRow[]> {
  const rows: AllocationRow[] = [];
  for (const id of workflowIds) {
    rows.push(...(yield* listAlive(id)).filter(({ state }) => state !== 'planned'));
  }
  return rows;
}

function byTag(views: readonly AllocationView[]): Map<string, AllocationView[]> {
  const found = new Map<string, AllocationView[]>();
  for (const view of views) found.set(view.tag, [...(found.get(view.tag) ?? []), view]);
  return found;
}

/** A submission that took effect after it was given up would have left two allocations of one tag: one is enough. */
function chosenView(
  { cluster_id }: AllocationRow,
  views: readonly AllocationView[] = [],
): AllocationView | undefined {
  return views.find(({ id }) => id === cluster_id) ?? views[0];
}

function surplusOf(row: AllocationRow, views: readonly AllocationView[] = []): string[] {
  const chosen = chosenView(row, views);
  return views.flatMap((view) => (view === chosen ? [] : view.id));
}
