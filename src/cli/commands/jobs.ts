import { allPages } from '../../core/all-pages.ts';
import { HoldfastError } from '../../core/errors.ts';
import { JOB_STATUSES, type JobStatus } from '../../core/job-status.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Command } from '../command-context.ts';
import { workflowArgument } from '../workflow-argument.ts';

export const jobsCommand: Command = async (context, { args, options }) => {
  const statuses = typeof options.status === 'string' ? parseStatuses(options.status) : undefined;
  const name = typeof options.name === 'string' ? options.name : undefined;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const jobs = await allPages((page) =>
    engine.listJobs(workflowId, {
      ...page,
      ...(statuses && { statuses }),
      ...(name !== undefined && { name }),
    }),
  );
  context.print(context.render.jobs(jobs));
  return 0;
};

function parseStatuses(text: string): JobStatus[] {
  return text.split(',').map((word) => {
    const status = JOB_STATUSES.find((each) => each === word.trim());
    if (status !== undefined) return status;
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--status',
      problem: `no job status is called ${word}${didYouMean(word, JOB_STATUSES)} (${JOB_STATUSES.join(', ')})`,
    });
  });
}
