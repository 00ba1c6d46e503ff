import { allPages } from '../../core/all-pages.ts';
import type { Command } from '../command-context.ts';
import { jobUsage } from '../output/job-usage.ts';
import { workflowArgument } from '../workflow-argument.ts';

export const reportCommand: Command = async (context, { args }) => {
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const used = await allPages((page) => engine.utilization(workflowId, page));
  context.print(context.render.usage(used.map(jobUsage)));
  return 0;
};
