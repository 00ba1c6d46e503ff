import type { Engine } from '../../../contract/engine.ts';
import type { WorkflowRecord } from '../../../contract/records/records.ts';
import type { Command } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { archivedView } from '../../texts/housekeeping-text.ts';

type Request = Parameters<Engine['archiveWorkflow']>[1];

export const archiveCommand: Command = changing((engine, id, request) => engine.archiveWorkflow(id, request));
export const unarchiveCommand: Command = changing((engine, id, request) =>
  engine.unarchiveWorkflow(id, request),
);

function changing(
  change: (engine: Engine, id: number, request: Request) => Promise<WorkflowRecord>,
): Command {
  return async (context, { args, options }) => {
    const engine = await context.openEngine();
    const request: Request = {
      actor: userName(),
      ...(typeof options.reason === 'string' && { reason: options.reason }),
    };
    const changed: WorkflowRecord[] = [];
    for (const text of args) {
      changed.push(await change(engine, await workflowArgument(engine, context, text), request));
    }
    context.show(archivedView, changed);
    return 0;
  };
}
