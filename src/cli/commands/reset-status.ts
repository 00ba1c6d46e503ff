import type { Command } from '../command-context.ts';
import { userName } from '../user-name.ts';
import { workflowArgument } from '../workflow-argument.ts';

export const resetStatusCommand: Command = async (context, { args, options }) => {
  const dryRun = options.dryRun === true;
  const failedOnly = options.failedOnly === true;
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const result = await engine.resetStatus(workflowId, {
    failed_only: failedOnly,
    actor: userName(),
    dry_run: dryRun,
  });
  const next = dryRun
    ? context.command('reset-status', workflowId, ...(failedOnly ? ['--failed-only'] : []))
    : context.command('run', workflowId);
  context.print(context.render.reset(result, { workflowId, dryRun, next }));
  return 0;
};
