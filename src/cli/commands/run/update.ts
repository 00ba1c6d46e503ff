import { HoldfastError } from '../../../core/errors.ts';
import { readKind } from '../../../spec/read-kind.ts';
import type { Command } from '../../command-context.ts';
import { settingsOption } from '../../options/set-option.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { readSpecText } from '../../read-spec.ts';
import { storeNewWorkflow } from '../../run/new-workflow.ts';
import { updateView } from '../../texts/update-text.ts';
import { updateStored } from './continue-workflow.ts';

export const updateCommand: Command = async (context, { args, options, lists }) => {
  const spec = readSpecText(args[1]!, settingsOption({ lists }));
  if (readKind(spec.text, spec.name) === 'request') {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: args[1]!,
      problem: 'is a request; `holdfast requests release` and `restart` change what is left of one',
    });
  }
  const edited = await storeNewWorkflow(context, spec, options, null);
  const engine = await context.openEngine();
  const id = await workflowArgument(engine, context, args[0]);
  const dryRun = options.dryRun === true;
  const update = await updateStored(
    context,
    engine,
    await engine.getWorkflow(id),
    edited,
    edited.model,
    dryRun,
  );
  const { complete } = await engine.status(id);
  context.show(updateView, {
    update,
    next: dryRun || complete || update.is_active ? null : { kind: 'run', workflow: id },
  });
  return 0;
};
