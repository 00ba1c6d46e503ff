import { allPages } from '../../core/all-pages.ts';
import type { Command } from '../command-context.ts';
import { wholeNumberOption } from '../whole-number-option.ts';
import { workflowArgument } from '../workflow-argument.ts';

const WORKFLOWS_SHOWN = 20;

export const statusCommand: Command = async (context, { args, options }) => {
  const { render, print, settings } = context;
  const limit = wholeNumberOption('--limit', options.limit);
  const engine = await context.openEngine();
  if (args[0] !== undefined) {
    print(render.status(await engine.status(await workflowArgument(engine, context, args[0]))));
    return 0;
  }
  const workflows = await allPages((page) => engine.listWorkflows(page));
  // Programs get everything unless they ask for less.
  const shown = workflows.slice(0, limit ?? (settings.output === 'table' ? WORKFLOWS_SHOWN : undefined));
  const statuses = [];
  for (const { id } of shown) statuses.push(await engine.status(id));
  print(render.workflows(statuses, workflows.length - shown.length));
  return 0;
};
