import { allPages } from '../../../contract/all-pages.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { refuseOptions } from '../../options/refuse-options.ts';
import { userName } from '../../options/user-name.ts';
import { drainedWorkerView, lostWorkerView } from '../../texts/access-text.ts';
import { workersView } from '../../texts/lists/workers.ts';

export const workersCommand: Command = async (context, { args, options, lists }) => {
  const [action = 'list', id] = args;
  if (action === 'list') {
    if (id !== undefined) throw invalid(id, '`workers list` lists all of them, and takes no number');
    const engine = await context.openEngine();
    const present = options.all !== true;
    context.show(workersView, await allPages((page) => engine.listWorkers({ ...page, present })));
    return 0;
  }
  if (action !== 'drain' && action !== 'lost') {
    throw invalid('workers', `there is no action ${action} (list, drain, lost)`);
  }
  refuseOptions({ options, lists }, ['all'], 'only with `workers list`');
  if (id === undefined || !/^\d{1,15}$/.test(id)) {
    throw invalid('id', 'name the worker by its number, as `holdfast workers list` shows it');
  }
  const engine = await context.openEngine();
  const by = { actor: userName() };
  if (action === 'drain') context.show(drainedWorkerView, await engine.drainWorker(Number(id), by));
  else context.show(lostWorkerView, await engine.loseWorker(Number(id), by));
  return 0;
};

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
