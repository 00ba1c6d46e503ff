import { allPages } from '../../../contract/all-pages.ts';
import type { Command } from '../../command-context.ts';
import { oneJob } from '../../options/one-job.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { eventsView } from '../../texts/lists/events.ts';

export const eventsCommand: Command = async (context, { args, options }) => {
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const job =
    typeof options.job === 'string' ? (await oneJob(engine, workflowId, options.job)).id : undefined;
  const events = await allPages((page) =>
    engine.listEvents(workflowId, { ...page, ...(job !== undefined && { job }) }),
  );
  context.show(eventsView, events);
  return 0;
};
