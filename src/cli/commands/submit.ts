import { HoldfastError } from '../../core/errors.ts';
import type { Command } from '../command-context.ts';
import { newWorkflow } from '../run/new-workflow.ts';

export const submitCommand: Command = async (context, { args, options }) => {
  if (context.server === null) throw new HoldfastError('NEEDS_SERVER', { command: 'holdfast submit' });
  const workflow = await newWorkflow(context, args[0]!, options);
  const { idempotencyKey: key } = options;
  const engine = await context.openEngine();
  const created = await engine.createWorkflow({
    ...workflow,
    ...(typeof key === 'string' && { idempotency_key: key }),
  });
  context.print(context.render.submission(created, context.command('run', created.id)));
  return 0;
};
