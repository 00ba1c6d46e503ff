import type { Hint } from '../../../contract/records/hint.ts';
import { isSelective } from '../../../core/selection/selection.ts';
import type { Command } from '../../command-context.ts';
import { refuseSelectionOptions } from '../../options/refuse-selection-options.ts';
import { selectionOf } from '../../options/selection-options.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { resetView } from '../../texts/reset-text.ts';

export const resetStatusCommand: Command = async (context, invocation) => {
  const { args, options } = invocation;
  const dryRun = options.dryRun === true;
  const failedOnly = options.failedOnly === true;
  const selection = selectionOf(args.slice(1), invocation);
  refuseSelectionOptions('reset', { ...selection, failed_only: failedOnly });
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  if (!dryRun) await runDueActions(context, engine, workflowId);
  const result = await engine.resetStatus(workflowId, {
    ...selection,
    failed_only: failedOnly,
    actor: userName(),
    dry_run: dryRun,
  });
  // A selection is written out again by who tried it.
  const again: Hint | null = isSelective(selection)
    ? null
    : { kind: 'reset', workflow: workflowId, failed_only: failedOnly };
  context.show(resetView, {
    workflow_id: workflowId,
    dry_run: dryRun,
    ...result,
    next: dryRun ? again : { kind: 'run', workflow: workflowId },
  });
  return 0;
};
