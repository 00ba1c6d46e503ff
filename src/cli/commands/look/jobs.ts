import { allPages } from '../../../contract/all-pages.ts';
import type { Command } from '../../command-context.ts';
import { statusOption } from '../../options/status-option.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { jobsView } from '../../texts/lists/jobs.ts';

export const jobsCommand: Command = async (context, { args, options }) => {
  const statuses = statusOption({ options });
  const name = typeof options.name === 'string' ? options.name : undefined;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const jobs = await allPages((page) =>
    engine.listJobs(workflowId, {
      ...page,
      ...(statuses && { status: statuses }),
      ...(name !== undefined && { name }),
    }),
  );
  context.show(jobsView, jobs);
  return 0;
};
