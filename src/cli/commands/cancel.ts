import type { Command } from '../command-context.ts';
import { userName } from '../user-name.ts';
import { isWorkflowId, jobRef, onlyIncompleteWorkflow } from '../workflow-argument.ts';

export const cancelCommand: Command = async (context, { args, options }) => {
  const dryRun = options.dryRun === true;
  const engine = await context.openEngine();
  const named = args[0] !== undefined && isWorkflowId(args[0]);
  const workflowId = named ? Number(args[0]) : await onlyIncompleteWorkflow(engine);
  const jobs = (named ? args.slice(1) : args).map(jobRef);
  const result = await engine.cancel(workflowId, {
    actor: userName(),
    dry_run: dryRun,
    ...(jobs.length > 0 && { jobs }),
    ...(typeof options.reason === 'string' && { reason: options.reason }),
  });
  context.print(context.render.cancellation(result, workflowId, dryRun));
  return 0;
};
