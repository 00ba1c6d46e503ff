import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { AttemptRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';

export interface AttemptChoice {
  /** (default: the newest run that has attempts) */
  run?: number | undefined;
  /** (default: the newest) */
  attempt?: number | undefined;
}

/** The attempt that is meant; undefined if the job has none yet. One that was named must exist. */
export async function attemptToShow(
  engine: Engine,
  workflowId: number,
  job: JobRef,
  choice: AttemptChoice,
): Promise<AttemptRecord | undefined> {
  const attempts = await listAttempts(engine, workflowId, job, choice.run);
  const newestRun = attempts.at(-1)?.run_id;
  const inRun = attempts.filter((attempt) => attempt.run_id === newestRun);
  if (choice.attempt === undefined) return inRun.at(-1);
  const found = inRun.find((attempt) => attempt.attempt_id === choice.attempt);
  if (found !== undefined || inRun.length === 0) return found;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: '--attempt',
    problem: `job ${job} has no attempt ${choice.attempt} in run ${newestRun}; its newest is ${inRun.at(-1)!.attempt_id}`,
  });
}

/** The attempt that came after `previous`; undefined if there is none yet. */
export async function attemptAfter(
  engine: Engine,
  workflowId: number,
  previous: AttemptRecord,
): Promise<AttemptRecord | undefined> {
  const attempts = await listAttempts(engine, workflowId, previous.job_id, undefined);
  return attempts.find(
    ({ run_id, attempt_id }) =>
      run_id > previous.run_id || (run_id === previous.run_id && attempt_id > previous.attempt_id),
  );
}

function listAttempts(
  engine: Engine,
  workflowId: number,
  job: JobRef,
  run: number | undefined,
): Promise<AttemptRecord[]> {
  return allPages((page) =>
    engine.listAttempts(workflowId, { ...page, job, ...(run !== undefined && { run_id: run }) }),
  );
}
