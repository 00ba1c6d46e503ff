import type { Command } from '../command-context.ts';
import { userName } from '../user-name.ts';
import { wholeNumberOption } from '../whole-number-option.ts';
import { workflowAndJob } from '../workflow-argument.ts';

export const retryCommand: Command = async (context, { args, options }) => {
  const maxRetries = wholeNumberOption('--max-retries', options.maxRetries);
  const engine = await context.openEngine();
  const { workflowId, job } = await workflowAndJob(engine, context, args);
  const retried = await engine.retryJob(workflowId, job, {
    actor: userName(),
    ...(maxRetries !== undefined && { max_retries: maxRetries }),
  });
  // A process that drives the run takes the job up by itself.
  const { workers } = await engine.status(workflowId);
  const next = workers.length > 0 ? null : context.command('run', workflowId);
  context.print(context.render.manualRetry(retried, next));
  return 0;
};
