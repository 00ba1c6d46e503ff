import type { WalkStep } from '../core/decision.ts';
import type { JobRef } from '../core/job-ref.ts';
import type { Explanation } from '../core/records.ts';
import { listAttempts } from '../store/attempt-rows.ts';
import type { Script } from '../store/script.ts';
import { listWorkersOf } from '../store/worker-rows.ts';
import { explainJob } from './explain-job.ts';
import { isAlive } from './is-alive.ts';
import { jobDetails } from './list-records.ts';
import { needWorkflow } from './needed-rows.ts';
import { LARGEST_PAGE } from './page.ts';
import { attemptRecord } from './records.ts';

export function* readExplanation(workflowId: number, job: JobRef, now: number): Script<Explanation> {
  const workflow = yield* needWorkflow(workflowId);
  const details = yield* jobDetails(workflowId, job);
  const attempts = yield* listAttempts(workflowId, {
    after: 0,
    limit: LARGEST_PAGE,
    job_id: details.id,
    run_id: null,
  });
  const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
  return explainJob({
    job: details,
    attempts: attempts.map((row) => ({
      attempt: attemptRecord(row, workflow.output_dir),
      walk: row.walk === null ? [] : (JSON.parse(row.walk) as WalkStep[]),
    })),
    // Workers of a server come and go; nobody has to start anything.
    driven: workflow.shared === 1 || workers.some((worker) => isAlive(worker, now)),
    now,
  });
}
