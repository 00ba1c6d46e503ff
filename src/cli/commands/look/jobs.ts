import { firstPages } from '../../../contract/all-pages.ts';
import type { Command } from '../../command-context.ts';
import { statusOption } from '../../options/status-option.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { jobsView } from '../../texts/lists/jobs.ts';

/** A table of more jobs is not read by anybody, and one of a million jobs takes a minute to print. */
const MOST_IN_A_TABLE = 1_000;

export const jobsCommand: Command = async (context, { args, options }) => {
  const statuses = statusOption({ options });
  const name = typeof options.name === 'string' ? options.name : undefined;
  const limit = wholeNumberOption('--limit', options.limit);
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const most = context.settings.output === 'table' ? MOST_IN_A_TABLE : Number.POSITIVE_INFINITY;
  // One more, to know whether there are more.
  const jobs = await firstPages(
    (page) =>
      engine.listJobs(workflowId, {
        ...page,
        ...(statuses && { status: statuses }),
        ...(name !== undefined && { name }),
      }),
    limit ?? most + 1,
  );
  context.show(jobsView, limit === undefined ? jobs.slice(0, most) : jobs);
  if (limit === undefined && jobs.length > most) {
    context.narrate(`note: these are the first ${most} jobs; --limit N lists more of them`);
  }
  return 0;
};
