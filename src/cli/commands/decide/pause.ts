import type { Engine } from '../../../contract/engine.ts';
import type { Hint } from '../../../contract/records/hint.ts';
import type { WorkflowRecord, WorkflowStatus } from '../../../contract/records/records.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { onlyIncompleteWorkflow, workflowArgument } from '../../options/workflow-argument.ts';
import { pauseView } from '../../texts/pause-text.ts';

type Change = Pick<Engine, 'pauseWorkflow' | 'stopWorkflow' | 'resumeWorkflow'>;

export const pauseCommand: Command = changing((engine, id, request) => engine.pauseWorkflow(id, request));
export const stopCommand: Command = changing((engine, id, request) => engine.stopWorkflow(id, request));
export const resumeCommand: Command = changing((engine, id, request) => engine.resumeWorkflow(id, request));

function changing(
  change: (engine: Change, id: number, request: Parameters<Change['pauseWorkflow']>[1]) => Promise<unknown>,
): Command {
  return async (context, { args: [id], options }) => {
    const engine = await context.openEngine();
    const workflowId =
      id === undefined ? await onlyIncompleteWorkflow(engine) : await workflowArgument(engine, context, id);
    await change(engine, workflowId, {
      actor: userName(),
      ...(typeof options.reason === 'string' && { reason: options.reason }),
    });
    const status = await engine.status(workflowId);
    await haltDag(context, status.workflow);
    context.show(pauseView, { status, hint: hintAfter(status) });
    return 0;
  };
}

/** A process that runs the workflow ends with a stop, so that only the workers of a server can be resumed then. */
function hintAfter({ workflow: { id, shared, paused }, workers }: WorkflowStatus): Hint | null {
  const isWorkedOn = shared || (workers.length > 0 && paused?.stopping !== true);
  if (!isWorkedOn) return { kind: 'run', workflow: id };
  return paused === null ? null : { kind: 'resume', workflow: id };
}

/** Without a server nobody else may be there to halt or remove what DAGMan runs. */
async function haltDag(context: CommandContext, { id, executor, paused }: WorkflowRecord): Promise<void> {
  if (executor !== 'htcondor' || context.server !== null || paused === null) return;
  const { removeDagRuns } = await import('../../htcondor/remove-dag-runs.ts');
  await removeDagRuns(context, await context.openServedEngine(), { workflow: id });
}
