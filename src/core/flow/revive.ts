import { isEndedBySweep, resolveSweep, reviveSweep } from './fail-fast.ts';
import type { FlowDraft } from './flow-draft.ts';
import { toRevived } from './job-moves.ts';

/**
 * Jobs that did not succeed are to run again: undoes what their failures did to others. Those that were canceled because
 * of them, and of nothing else, are blocked again: down the graph, and in a sweep that failed fast. So are those that did
 * not mind, or joined them, and could be claimed. Returns the revived ones, in the order in which they are reached.
 */
export function revive(draft: FlowDraft, jobIds: readonly number[], actor: string): number[] {
  const setsOf = (ids: readonly number[]) =>
    new Set(ids.flatMap((id) => draft.memberships(id).map(({ set_id }) => set_id)));
  const sweep = reviveSweep(draft, jobIds, actor);
  const roots = [...jobIds, ...sweep];
  draft.needTallies([...setsOf([...roots, ...draft.canceledBelow(roots)])]);
  const revived: number[] = [...sweep];
  // A set is looked at once for all of its members that run again, and once more when others of them do.
  for (let next = roots; next.length > 0; ) {
    for (const id of next) draft.setSettled(draft.job(id), null);
    const sets = setsOf(next);
    next = [];
    for (const setId of sets) {
      const set = draft.recount(setId);
      if (set.remaining > 0) draft.block(setId);
      // Another member that did not succeed still cancels them.
      if (set.unsuccessful > 0) continue;
      for (const dependent of draft.canceledBy(setId)) {
        if (isEndedBySweep(draft, dependent)) continue;
        toRevived(dependent, 'its dependency is retried');
        next.push(dependent.id);
      }
    }
    revived.push(...next);
  }
  resolveSweep(draft, sweep);
  return revived;
}
