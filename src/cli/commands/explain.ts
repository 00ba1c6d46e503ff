import type { Command } from '../command-context.ts';
import { workflowAndJob } from '../workflow-argument.ts';

export const explainCommand: Command = async (context, { args }) => {
  const engine = await context.openEngine();
  const { workflowId, job } = await workflowAndJob(engine, context, args);
  context.print(context.render.explanation(await engine.explain(workflowId, job)));
  return 0;
};
