import { allPages } from '../../../contract/all-pages.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { refuseOptions } from '../../options/refuse-options.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { workflowsView } from '../../texts/lists/workflows.ts';
import { statusView } from '../../texts/status-text.ts';

const WORKFLOWS_SHOWN = 20;
const NOT_COMPLETE = 5;
const ONLY_LISTS = 'only for the list; a workflow that is named is shown, archived or not';

export const statusCommand: Command = async (context, { args, options, lists }) => {
  const limit = wholeNumberOption('--limit', options.limit);
  const engine = await context.openEngine();
  if (args[0] !== undefined) {
    refuseOptions({ options, lists }, ['archived', 'limit'], ONLY_LISTS);
    const status = await engine.status(await workflowArgument(engine, context, args[0]));
    context.show(statusView, status);
    return options.exitCode === true ? (status.exit_code ?? NOT_COMPLETE) : 0;
  }
  if (options.exitCode === true) throw onlyOne();
  const archived = options.archived === true;
  const workflows = await allPages((page) =>
    engine.listWorkflows({ ...page, ...(archived && { archived }) }),
  );
  // A screen shows the newest; programs get all.
  const shown = workflows.slice(
    0,
    limit ?? (context.settings.output === 'table' ? WORKFLOWS_SHOWN : undefined),
  );
  const statuses = [];
  for (const { id } of shown) statuses.push(await engine.status(id));
  context.show(workflowsView, { statuses, more: workflows.length - shown.length });
  return 0;
};

function onlyOne(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: '--exit-code',
    problem: 'is for one workflow; name it, as in `holdfast status 3 --exit-code`',
  });
}
