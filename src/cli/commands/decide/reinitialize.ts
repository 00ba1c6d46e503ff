import type { Command } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { findStale } from '../../stale/find-stale.ts';
import { noteGone } from '../../stale/note-stale.ts';
import { reinitializeView } from '../../texts/reinitialize-text.ts';

export const reinitializeCommand: Command = async (context, { args, options }) => {
  const dryRun = options.dryRun === true;
  const engine = await context.openEngine();
  const id = await workflowArgument(engine, context, args[0]);
  const workflow = await engine.getWorkflow(id);
  const cwd = typeof options.cwd === 'string' ? options.cwd : undefined;
  const { stale, compared, invisible, gone, missing } = await findStale(engine, workflow, cwd);
  if (invisible !== null) {
    context.narrate(
      `the files of workflow ${id} are not compared: ${invisible}; --cwd names the directory they are in`,
    );
  }
  noteGone(context, { gone });
  const order = { stale: stale.map(({ job_id, reason }) => ({ job_id, reason })), actor: userName() };
  const planned = await engine.reinitialize(id, { ...order, dry_run: true });
  const problem = options.force === true ? null : missing(planned.jobs);
  if (problem !== null) throw problem;
  let result = planned;
  if (!dryRun && planned.jobs.length > 0) {
    await runDueActions(context, engine, id);
    result = await engine.reinitialize(id, order);
  }
  context.show(reinitializeView, {
    workflow_id: id,
    dry_run: dryRun,
    ...result,
    files_compared: compared,
    next: { kind: dryRun ? 'reinitialize' : 'run', workflow: id },
  });
  return 0;
};
