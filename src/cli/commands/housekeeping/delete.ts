import type { Removal } from '../../../contract/engine.ts';
import type { Command } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { removalsView } from '../../texts/housekeeping-text.ts';

export const deleteCommand: Command = async (context, { args, options }) => {
  const dryRun = options.dryRun === true;
  const engine = await context.openEngine();
  const ids: number[] = [];
  for (const text of args) ids.push(await workflowArgument(engine, context, text));
  const request = { actor: userName() };
  // All of them can be deleted, or none is.
  const removed: Removal[] = [];
  for (const id of new Set(ids)) removed.push(await engine.deleteWorkflow(id, { ...request, dry_run: true }));
  if (!dryRun) for (const { workflow_id } of removed) await engine.deleteWorkflow(workflow_id, request);
  context.show(removalsView, { dry_run: dryRun, removed });
  return 0;
};
