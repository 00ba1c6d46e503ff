import { allPages } from '../../../contract/all-pages.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { decisionStats } from '../../../views/decision-stats.ts';
import { type SampledFailureGroup, waitingJobs } from '../../../views/failure-group.ts';
import type { Command } from '../../command-context.ts';
import { refuseOptions } from '../../options/refuse-options.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { failuresView } from '../../texts/failures-text.ts';
import { decisionStatsView } from '../../texts/lists/decision-stats.ts';
import { sampleGroup } from '../../triage/sample-group.ts';

const OF_FAILURES = 'not with --stats, which is about past decisions';

export const failuresCommand: Command = async (context, { args, options, lists }) => {
  if (options.all === true && options.pending === true) {
    throw new HoldfastError('INVALID_ARGUMENT', { argument: '--pending', problem: 'is less than --all' });
  }
  if (options.stats === true) refuseOptions({ options, lists }, ['all', 'pending'], OF_FAILURES);
  const fingerprint = typeof options.fingerprint === 'string' ? { fingerprint: options.fingerprint } : {};
  const engine = await context.openEngine();
  if (options.stats === true) {
    // Of all workflows (default), or of one.
    const named = args[0] === undefined ? undefined : await workflowArgument(engine, context, args[0]);
    if (named !== undefined) await engine.getWorkflow(named);
    const decisions = await allPages((page) =>
      engine.listDecisions({
        ...page,
        ...fingerprint,
        ...(named !== undefined && { workflow_id: named }),
      }),
    );
    context.show(decisionStatsView, decisionStats(decisions));
    return 0;
  }
  const workflowId = await workflowArgument(engine, context, args[0]);
  const groups = await engine.listFailures(workflowId, {
    ...fingerprint,
    ...(options.pending === true && { status: ['pending_failed'] }),
  });
  const sampled: SampledFailureGroup[] = [];
  for (const group of groups) sampled.push(await sampleGroup(engine, workflowId, group));
  context.show(failuresView, {
    groups: sampled,
    next: waitingJobs(groups) > 0 ? { kind: 'resolve', workflow: workflowId } : null,
  });
  return 0;
};
