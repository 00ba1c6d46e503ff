import type { Engine } from '../../contract/engine.ts';
import { Launchers } from '../../worker/execute/launchers.ts';
import { RunWorker } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { notifyOf } from '../notify/run-notifier.ts';
import { workerOptions } from './worker-options.ts';

/**
 * Runs the actions of a run that was completed while no process drove it, as a decision or a cancellation can do, and sends
 * its notifications.
 * Workers of a server see to it for workflows that they share.
 */
export async function runDueActions(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
): Promise<void> {
  if (context.server !== null) return;
  await runActions(context, engine, workflowId);
  await (await notifyOf(context, engine, { workflow_id: workflowId })).finish();
}

async function runActions(context: CommandContext, engine: Engine, workflowId: number): Promise<void> {
  const { actions_due, workers, workflow } = await engine.status(workflowId);
  if (actions_due === 0 || workers.length > 0 || workflow.shared) return;
  const actions = actions_due === 1 ? '1 action' : `${actions_due} actions`;
  if (context.settings.output !== 'quiet') {
    context.narrate(`workflow ${workflowId} is complete: running ${actions}; Ctrl-C stops them`);
  }
  const options = workerOptions(context, workflowId, { labels: [], site: null });
  const launchers = new Launchers(options.stateDir);
  const worker = new RunWorker(engine, options, launchers);
  const stopListening = onInterrupt((count) => (count === 1 ? worker.stop() : worker.kill()));
  try {
    await worker.run();
  } finally {
    stopListening();
    void launchers.stop();
  }
}
