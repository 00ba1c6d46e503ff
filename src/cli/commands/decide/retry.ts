import { HoldfastError } from '../../../core/errors.ts';
import { isSelective } from '../../../core/selection/selection.ts';
import { continueHint } from '../../../views/hints.ts';
import type { Command } from '../../command-context.ts';
import { refuseSelectionOptions } from '../../options/refuse-selection-options.ts';
import { selectionOf } from '../../options/selection-options.ts';
import { userName } from '../../options/user-name.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { isWorkflowId, workflowArgument } from '../../options/workflow-argument.ts';
import { retryView } from '../../texts/retry-text.ts';

export const retryCommand: Command = async (context, invocation) => {
  const { args, options } = invocation;
  const maxRetries = wholeNumberOption('--max-retries', options.maxRetries);
  const hasId = args[0] !== undefined && isWorkflowId(args[0]);
  const selection = selectionOf(hasId ? args.slice(1) : args, invocation);
  if (!isSelective(selection)) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'job',
      problem: `name jobs${hasId ? ` of workflow ${args[0]}` : ''}, or choose them with --failed, --status, --fingerprint or --from`,
    });
  }
  refuseSelectionOptions('retry', {
    ...selection,
    ...(maxRetries !== undefined && { max_retries: maxRetries }),
  });
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, hasId ? args[0] : undefined);
  const result = await engine.retryJobs(workflowId, {
    ...selection,
    actor: userName(),
    dry_run: options.dryRun === true,
    ...(maxRetries !== undefined && { max_retries: maxRetries }),
    ...(typeof options.reason === 'string' && { reason: options.reason }),
  });
  const changes = !result.dry_run && result.mode !== 'nothing';
  const next = changes ? continueHint(await engine.status(workflowId)) : null;
  context.show(retryView, { workflow_id: workflowId, ...result, next });
  return 0;
};
