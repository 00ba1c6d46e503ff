import { resolve } from 'node:path';
import { readVersion } from '../../../mcp/read-version.ts';
import type { Command } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { exportedView, type ShownExport } from '../../texts/files/transfer-text.ts';
import { joinedLines, refuseExisting, writeCompressed } from '../../transfer/export-file.ts';

/** What goes into a database and out of it whole is for whoever may read all of it. */
export const BOTH_WAYS =
  'has secrets and history that a server does not hand out or take; run it where the state is';

export const exportCommand: Command = async (context, { args, options }) => {
  refuseServer(context, `an export ${BOTH_WAYS}`);
  const engine = await context.openServedEngine({ create: false });
  const workflowId = await workflowArgument(engine, context, args[0]);
  const file = typeof options.out === 'string' ? options.out : `workflow-${workflowId}.holdfast.gz`;
  refuseExisting(file);
  const { name, job_count } = await engine.getWorkflow(workflowId);
  let counts: ShownExport['counts'] = {};
  const lines = async function* () {
    let isFirst = true;
    for await (const line of engine.exportWorkflow(workflowId, readVersion())) {
      if (isFirst) ({ counts } = JSON.parse(line) as Pick<ShownExport, 'counts'>);
      isFirst = false;
      yield line;
    }
  };
  const bytes = await writeCompressed(resolve(file), joinedLines(lines()));
  context.show(exportedView, { workflow_id: workflowId, name, job_count, file, bytes, counts });
  return 0;
};
