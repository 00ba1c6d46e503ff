import { emptyPart } from '../../core/flow/flow-part.ts';
import { goBack } from '../../core/flow/go-back.ts';
import { loadDownstream } from '../../store/rows/flow/flow-part-rows.ts';
import { findJobIdIn } from '../../store/rows/jobs/job-rows.ts';
import type { Script } from '../../store/script.ts';
import { followFlow, type RunOf } from './follow-flow.ts';

/** Back to the ancestor of this name in the job's scope: it and everything after it in the scope runs again. */
export function* jump(
  workflow: RunOf,
  job: { id: number; name: string; scope: string },
  target: string,
  now: number,
): Script<void> {
  const goalId = yield* findJobIdIn(workflow.id, target, job.scope);
  if (goalId === undefined) throw new Error(`there is no ${target} to go back to in scope "${job.scope}"`);
  const part = emptyPart();
  const ids = yield* loadDownstream(workflow.id, part, goalId, job.scope);
  yield* followFlow(workflow, now, (draft) => goBack(draft, job, goalId, ids), part);
}
