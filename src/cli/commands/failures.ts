import { allPages } from '../../core/all-pages.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Command } from '../command-context.ts';
import { decisionStats } from '../triage/decision-stats.ts';
import { type ToldGroup, toldGroup } from '../triage/told-group.ts';
import { workflowArgument } from '../workflow-argument.ts';

export const failuresCommand: Command = async (context, { args, options }) => {
  const { print, render } = context;
  if (options.all === true && options.pending === true) {
    throw new HoldfastError('INVALID_ARGUMENT', { argument: '--pending', problem: 'is less than --all' });
  }
  const fingerprint = typeof options.fingerprint === 'string' ? { fingerprint: options.fingerprint } : {};
  const engine = await context.openEngine();
  if (options.stats === true) {
    // What was learned is not of one workflow alone; one that is named limits it.
    const named = args[0] === undefined ? undefined : await workflowArgument(engine, context, args[0]);
    if (named !== undefined) await engine.getWorkflow(named);
    const decisions = await allPages((page) =>
      engine.listDecisions({
        ...page,
        ...fingerprint,
        ...(named !== undefined && { workflow_id: named }),
      }),
    );
    print(render.decisionStats(decisionStats(decisions)));
    return 0;
  }
  const workflowId = await workflowArgument(engine, context, args[0]);
  const groups = await engine.listFailures(workflowId, {
    ...fingerprint,
    ...(options.pending === true && { statuses: ['pending_failed'] }),
  });
  const isOpen = groups.some(({ jobs }) => jobs.some(({ status }) => status === 'pending_failed'));
  const next = isOpen ? context.command('resolve', workflowId) : null;
  const told: ToldGroup[] = [];
  for (const group of groups) told.push(await toldGroup(engine, workflowId, group));
  print(render.failures(told, next));
  return 0;
};
