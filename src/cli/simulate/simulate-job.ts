import { describePolicy } from '../../core/describe-policy.ts';
import { jobPolicy } from '../../core/job-policy.ts';
import { simulate } from '../../core/simulate.ts';
import { parseOutcomes } from '../../core/simulated-outcome.ts';
import type { JobModel, WorkflowModel } from '../../core/workflow-model.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Simulation } from '../output/renderer.ts';
import { invalidOption } from './invalid-option.ts';
import { outcomeReader } from './outcome-reader.ts';

/** The course that a job's policy would give to some outcomes. */
export function simulateJob(
  model: WorkflowModel,
  { job: name, outcomes: written }: { job?: unknown; outcomes?: unknown },
  durationMs: number,
): Simulation {
  const job = jobNamed(model, name);
  if (typeof written !== 'string') invalidOption('--outcomes', 'is needed, such as 10,oom,lost,0');
  const outcomes = parseOutcomes(written, outcomeReader(model, job));
  const policy = jobPolicy(model, job);
  const steps = simulate(policy, outcomes, { durationMs, timeoutTakesRuntime: true });
  return {
    job: job.name,
    policy: describePolicy(policy, job.config.post !== null),
    steps,
    status: steps.at(-1)!.status,
    unused: outcomes.slice(steps.length).map(({ told }) => told),
  };
}

/** The only job need not be named. */
function jobNamed({ jobs }: WorkflowModel, name: unknown): JobModel {
  if (name === undefined && jobs.length === 1) return jobs[0]!;
  const names = jobs.map((job) => job.name);
  if (name === undefined) invalidOption('--job', `is needed, because the spec has ${jobs.length} jobs`);
  return (
    jobs.find((job) => job.name === name) ??
    invalidOption('--job', `the spec has no job ${name}${didYouMean(String(name), names)}`)
  );
}
