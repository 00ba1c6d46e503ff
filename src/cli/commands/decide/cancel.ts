import type { Engine } from '../../../contract/engine.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { refuseSelectionOptions } from '../../options/refuse-selection-options.ts';
import { selectionOf } from '../../options/selection-options.ts';
import { userName } from '../../options/user-name.ts';
import { isWorkflowId, onlyIncompleteWorkflow } from '../../options/workflow-argument.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { cancellationView } from '../../texts/cancellation-text.ts';

export const cancelCommand: Command = async (context, invocation) => {
  const { args, options } = invocation;
  const dryRun = options.dryRun === true;
  const named = args[0] !== undefined && isWorkflowId(args[0]);
  const selection = selectionOf(named ? args.slice(1) : args, invocation);
  refuseSelectionOptions('cancel', selection);
  const engine = await context.openEngine();
  const workflowId = named ? Number(args[0]) : await onlyIncompleteWorkflow(engine);
  const result = await engine.cancel(workflowId, {
    ...selection,
    actor: userName(),
    dry_run: dryRun,
    ...(typeof options.reason === 'string' && { reason: options.reason }),
  });
  context.show(cancellationView, { workflow_id: workflowId, dry_run: dryRun, ...result });
  if (!dryRun && context.server === null) await removeCanceledDag(context, engine, workflowId);
  if (!dryRun) await runDueActions(context, engine, workflowId);
  return 0;
};

/** Without a server nobody else may be there to remove what DAGMan still runs. */
async function removeCanceledDag(
  context: CommandContext,
  engine: Pick<Engine, 'getWorkflow'>,
  workflowId: number,
): Promise<void> {
  if ((await engine.getWorkflow(workflowId)).executor !== 'htcondor') return;
  const { removeDagRuns } = await import('../../htcondor/remove-dag-runs.ts');
  await removeDagRuns(context, await context.openServedEngine(), { workflow: workflowId });
}
