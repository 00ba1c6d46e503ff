import { describePolicy } from '../../core/describe-policy.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobPolicy } from '../../core/job-policy.ts';
import { parseDuration } from '../../core/quantity.ts';
import { simulate } from '../../core/simulate.ts';
import { parseOutcomes } from '../../core/simulated-outcome.ts';
import type { JobModel, WorkflowModel } from '../../core/workflow-model.ts';
import { foundPatterns } from '../../spec/pattern.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Command } from '../command-context.ts';
import { readSpec } from '../read-spec.ts';

const DEFAULT_DURATION = '1m';

/** The course that a job's policy would give to some outcomes; nothing is run or stored. */
export const simulateCommand: Command = async (context, { args, options }) => {
  const { model } = readSpec(args[0]!, context.origins);
  const job = jobNamed(model, options.job);
  if (typeof options.outcomes !== 'string') invalid('--outcomes', 'is needed, such as 10,oom,lost,0');
  const durationMs = parseDuration(String(options.duration ?? DEFAULT_DURATION), 1000);
  if (durationMs === undefined)
    invalid('--duration', `must be a duration such as 30s, not ${options.duration}`);

  const policy = jobPolicy(model, job);
  const patterns =
    policy.handler === null || policy.handler === 'unreadable'
      ? []
      : policy.handler.rules.flatMap(({ stderr }) => stderr ?? []);
  const hasPost = job.config.post !== null;
  const outcomes = parseOutcomes(options.outcomes, {
    hasPost,
    findPatterns: (text) => foundPatterns(patterns, text),
  });
  const steps = simulate(policy, outcomes, { durationMs, timeoutTakesRuntime: true });
  context.print(
    context.render.simulation({
      job: job.name,
      policy: describePolicy(policy, hasPost),
      steps,
      status: steps.at(-1)!.status,
      unused: outcomes.slice(steps.length).map(({ told }) => told),
    }),
  );
  return 0;
};

/** The only job need not be named. */
function jobNamed({ jobs }: WorkflowModel, name: string | boolean | undefined): JobModel {
  if (name === undefined && jobs.length === 1) return jobs[0]!;
  const names = jobs.map((job) => job.name);
  if (name === undefined) invalid('--job', `is needed, because the spec has ${jobs.length} jobs`);
  return (
    jobs.find((job) => job.name === name) ??
    invalid('--job', `the spec has no job ${name}${didYouMean(String(name), names)}`)
  );
}

function invalid(argument: string, problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
