import { emptyPart, MEMBER_PLAIN } from '../../core/flow/flow-part.ts';
import { followSet, settle } from '../../core/flow/settle.ts';
import { releaseSet } from '../../store/rows/flow/flow-move-rows.ts';
import { loadSets } from '../../store/rows/flow/flow-part-rows.ts';
import { countSuccesses, type Membership, recountSet } from '../../store/rows/jobs/dependency-rows.ts';
import type { Script } from '../../store/script.ts';
import { followFlow } from './follow-flow.ts';

/**
 * Many jobs have succeeded, and are settled as such: the sets they are members of are counted down, one after another.
 * No graph is loaded, unless another member of a set did not succeed. Returns whether one was: more jobs may have ended.
 */
export function* settleSuccesses(
  jobs: readonly { id: number; name: string; workflow_id: number; run_id: number }[],
  memberships: readonly Membership[],
  now: number,
): Script<boolean> {
  const members = new Map(jobs.map((job) => [job.id, job]));
  const sets = new Map<number, Membership[]>();
  for (const link of memberships) sets.set(link.set_id, [...(sets.get(link.set_id) ?? []), link]);
  let hasFollowed = false;
  for (const [setId, links] of sets) {
    const hasAlternatives = links.some(({ kind }) => kind > MEMBER_PLAIN);
    const set = hasAlternatives ? yield* recountSet(setId) : yield* countSuccesses(setId, links.length);
    if (set.unsuccessful === 0 && set.disabled === 0) {
      if (set.remaining === 0) yield* releaseSet(setId, false, now);
      continue;
    }
    hasFollowed = true;
    const last = members.get(links.at(-1)!.job_id)!;
    const part = emptyPart();
    yield* loadSets(part, [setId]);
    yield* followFlow(
      { id: last.workflow_id, run_id: last.run_id },
      now,
      (draft) => {
        for (const { job, as } of followSet(draft, draft.set(setId), last)) settle(draft, job, as);
      },
      part,
    );
  }
  return hasFollowed;
}
