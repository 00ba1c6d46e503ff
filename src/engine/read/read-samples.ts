import type { SampleQuery } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import type { AttemptSamples } from '../../core/job/usage-samples.ts';
import { findSamples } from '../../store/rows/attempts/sample-rows.ts';
import { findAttemptToRead } from '../../store/rows/logs/log-rows.ts';
import type { Script } from '../../store/script.ts';
import { needJob, needWorkflow } from '../records/needed-rows.ts';

export function* readSamples(workflowId: number, job: JobRef, query: SampleQuery): Script<AttemptSamples> {
  const workflow = yield* needWorkflow(workflowId);
  const { id, name } = yield* needJob(workflowId, job);
  const runId = query.run_id ?? workflow.run_id;
  const attempt = yield* findAttemptToRead(id, runId, query.attempt_id ?? null);
  if (attempt === undefined) {
    throw new HoldfastError('NO_ATTEMPT', { workflow: workflowId, job: name });
  }
  const { run_id, attempt_id, token } = attempt;
  return { job_id: id, run_id, attempt_id, samples: yield* findSamples(token) };
}
