import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { proposeForWorkflow } from '../../slurm/propose-for-workflow.ts';
import { remainingJobs } from '../../slurm/remaining-jobs.ts';
import { regenerationView } from '../../texts/slurm/regeneration-text.ts';

/** New schedulers for what is left of a stored workflow; with --submit their allocations are ordered. */
export const regenerateCommand: Command = async (context, { args, options }) => {
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  const groups = await remainingJobs(engine, workflowId);
  if (groups.length === 0) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: String(workflowId),
      problem: 'no job of the workflow is ready or waits for others, so that there is nothing to ask for',
    });
  }
  const proposals = await proposeForWorkflow(context, engine, workflowId, groups, {
    account: typeof options.account === 'string' ? options.account : null,
    partition: typeof options.partition === 'string' ? options.partition : null,
  });
  for (const { model, because } of proposals) {
    for (const line of because) context.narrate(`${model.name}: ${line}`);
  }
  const by = { actor: userName() };
  const isDry = options.dryRun === true;
  const submit = options.submit === true && !isDry;
  if (!isDry) {
    await engine.putSchedulers(workflowId, { ...by, schedulers: proposals.map(({ model }) => model) });
  }
  const ordered: number[] = [];
  if (submit) {
    for (const { model, allocations } of proposals) {
      const order = { ...by, scheduler: model.name, count: allocations };
      const { items } = await engine.orderAllocations(workflowId, order);
      ordered.push(...items.map(({ id }) => id));
    }
  }
  context.show(regenerationView, { workflowId, stored: !isDry, proposals, ordered });
  if (submit && context.server === null) {
    context.narrate(
      `next: ${context.command('run', workflowId)} submits the allocations and serves their workers`,
    );
  } else if (!isDry && !submit) {
    context.narrate(
      `next: ${context.command('slurm', 'regenerate', workflowId, '--submit')} orders allocations`,
    );
  }
  return 0;
};
