import { allPages } from '../../../contract/all-pages.ts';
import type { Command } from '../../command-context.ts';
import { oneJob } from '../../options/one-job.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { isWorkflowId, workflowArgument } from '../../options/workflow-argument.ts';
import { attemptsView } from '../../texts/lists/attempts.ts';

export const attemptsCommand: Command = async (context, { args, options }) => {
  const runId = wholeNumberOption('--run', options.run);
  // A single argument that is no number is a job of the newest workflow.
  const [id, name] = args.length === 1 && !isWorkflowId(args[0]!) ? [undefined, args[0]] : args;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, id);
  const job = name === undefined ? undefined : (await oneJob(engine, workflowId, name)).id;
  const attempts = await allPages((page) =>
    engine.listAttempts(workflowId, {
      ...page,
      ...(job !== undefined && { job }),
      ...(runId !== undefined && { run_id: runId }),
    }),
  );
  context.show(attemptsView, attempts);
  return 0;
};
