import { allPages } from '../../core/all-pages.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Command } from '../command-context.ts';
import { userName } from '../user-name.ts';

export const workersCommand: Command = async (context, { args, options }) => {
  const [action, id] = args;
  const { print, render } = context;
  if (action === 'list') {
    const engine = await context.openEngine();
    const workers = await allPages((page) => engine.listWorkers(page));
    print(
      render.workers(options.all === true ? workers : workers.filter(({ state }) => state !== 'retired')),
    );
    return 0;
  }
  if (action !== 'drain') {
    throw invalid('workers', `there is no action ${action} (list, drain)`);
  }
  if (id === undefined || !/^\d{1,15}$/.test(id)) {
    throw invalid('id', 'name the worker by its number, as `holdfast workers list` shows it');
  }
  const engine = await context.openEngine();
  print(render.drainedWorker(await engine.drainWorker(Number(id), userName())));
  return 0;
};

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
