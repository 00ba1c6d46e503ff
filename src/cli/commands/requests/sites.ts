import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { durationOption } from '../../options/duration-option.ts';
import { userName } from '../../options/user-name.ts';
import { banView, sitesView, unbanView } from '../../texts/requests/sites-text.ts';

const DAY_MS = 24 * 3_600_000;

export const sitesCommand: Command = async (context, { args, options }) => {
  const [action = 'list', site] = args;
  if (action !== 'list' && action !== 'ban' && action !== 'unban') {
    throw invalid('sites', `there is no action ${action} (list, ban, unban)`);
  }
  if (action !== 'ban') {
    for (const flag of ['reason', 'duration'] as const) {
      if (options[flag] !== undefined) throw invalid(`--${flag}`, 'only with `sites ban`');
    }
  }
  if (action === 'list') {
    if (site !== undefined) throw invalid(site, '`sites list` lists all of them, and takes no name');
    if (options.request !== undefined) throw invalid('--request', 'only with `sites ban` or `sites unban`');
    const engine = await context.openEngine();
    context.show(sitesView, (await engine.listSites()).items);
    return 0;
  }
  if (site === undefined || site.trim() === '') throw invalid('site', 'name the site');
  const actor = userName();
  const request = typeof options.request === 'string' ? { request: options.request } : {};
  const duration = durationOption('--duration', options.duration);
  const engine = await context.openEngine();
  if (action === 'unban') {
    context.show(unbanView, { site, ...(await engine.unbanSite(site, { actor, ...request })) });
    return 0;
  }
  const ban = await engine.banSite(site, {
    actor,
    ...request,
    ...(typeof options.reason === 'string' && { reason: options.reason }),
    ...(duration !== undefined && { duration_days: duration / DAY_MS }),
  });
  context.show(banView, ban);
  return 0;
};

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
