import { countDown } from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { listCanceledBySet, moveJob, releaseSet } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';

interface EndedJob {
  id: number;
  name: string;
  succeeded: boolean;
}

/**
 * A job has ended for good: jobs whose last dependency it was become ready; if it did not succeed, those
 * that mind are canceled, and so on down the graph.
 */
export function* settleDependents(
  workflow: { id: number; run_id: number },
  job: EndedJob,
  now: number,
): Script<void> {
  const ended: EndedJob[] = [job];
  for (let next = ended.pop(); next !== undefined; next = ended.pop()) {
    for (const set of yield* countDown(next.id, next.succeeded)) {
      if (!next.succeeded && set.unsuccessful === 1) {
        const reason = `its dependency ${next.name} did not succeed`;
        for (const dependent of yield* listCanceledBySet(set.id)) {
          yield* moveJob(dependent, ['blocked'], 'canceled', { reason, canceled_by: next.id });
          yield* appendEvent({
            workflow_id: workflow.id,
            run_id: workflow.run_id,
            job_id: dependent.id,
            at: now,
            type: 'cancel',
            reason,
          });
          ended.push({ id: dependent.id, name: dependent.name, succeeded: false });
        }
      }
      if (set.remaining === 0) yield* releaseSet(set.id, set.unsuccessful > 0, now);
    }
  }
}
