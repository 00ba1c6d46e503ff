import { allPages } from '../../../contract/all-pages.ts';
import type { Engine, ReleaseAction, StopAction } from '../../../contract/engine.ts';
import type { RequestChange, RequestSummary } from '../../../contract/records/request.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { REQUEST_STATES, type RequestState } from '../../../core/request/request-states.ts';
import { parseSize } from '../../../core/text/quantity.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import type { RunWorker } from '../../../worker/run-worker.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { notifyOf } from '../../notify/run-notifier.ts';
import { labelOption } from '../../options/label-option.ts';
import { OF_OFFER, OF_WORKER, refuseOptions } from '../../options/refuse-options.ts';
import { siteOption } from '../../options/site-option.ts';
import { userName } from '../../options/user-name.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { driveRequest } from '../../run/drive-request.ts';
import { finishOutputs } from '../../run/finish-outputs.ts';
import { followRequest } from '../../run/follow-request.ts';
import { newestHistory } from '../../run/newest-history.ts';
import { refOf } from '../../run/request-exit.ts';
import { itemsView, unitsView } from '../../texts/requests/ledger-lists.ts';
import { requestChangeView } from '../../texts/requests/request-change-text.ts';
import { requestErrorsView } from '../../texts/requests/request-errors-text.ts';
import { requestHistoryView } from '../../texts/requests/request-history.ts';
import { requestView } from '../../texts/requests/request-text.ts';
import { requestsView } from '../../texts/requests/requests-list.ts';

type Action = (context: CommandContext, name: string, invocation: Invocation) => Promise<number>;

const MEGABYTE = 1024 * 1024;
const OF_POOL = 'has no effect on a request that DAGMan runs; machines of the pool run its jobs';
const OF_WORKERS = 'has no effect with a server; its workers have their own';

const ACTIONS: Record<string, Action> = {
  show: async (context, name) => {
    const engine = await context.openEngine();
    const request = await engine.getRequest(name);
    const history = await newestHistory(engine, refOf(request));
    context.show(requestView, { request, history });
    return 0;
  },
  errors: async (context, name, { options }) => {
    const round = wholeNumberOption('--round', options.round);
    const engine = await context.openEngine();
    context.show(requestErrorsView, await engine.requestErrors(name, round === undefined ? {} : { round }));
    return 0;
  },
  units: async (context, name, { options }) => {
    const round = wholeNumberOption('--round', options.round);
    const engine = await context.openEngine();
    const units = await allPages((page) =>
      engine.listUnits(name, { ...page, ...(round !== undefined && { round }) }),
    );
    context.show(unitsView, units);
    return 0;
  },
  items: async (context, name) => {
    const engine = await context.openEngine();
    context.show(itemsView, await allPages((page) => engine.listItems(name, page)));
    return 0;
  },
  history: async (context, name) => {
    const engine = await context.openEngine();
    const newestFirst = await allPages((page) => engine.requestHistory(name, page));
    context.show(requestHistoryView, newestFirst.reverse());
    return 0;
  },
  release: changing(releaseOf, (engine, name, action) => engine.releaseRequest(name, action)),
  fail: ending(actionOf, (engine, name, action) => engine.failRequest(name, action)),
  restart: ending(actionOf, (engine, name, action) => engine.restartRequest(name, action)),
  stop: changing(stopOf, (engine, name, action) => engine.stopRequest(name, action)),
  pause: changing(actionOf, (engine, name, action) => engine.pauseRequest(name, action)),
  resume: changing(actionOf, (engine, name, action) => engine.resumeRequest(name, action)),
  run: async (context, name, invocation) => {
    if (context.server !== null) {
      refuseOptions(invocation, OF_WORKER, OF_WORKERS);
      const engine = await context.openEngine();
      return followRequest(context, engine, await engine.getRequest(name));
    }
    const engine = await context.openServedEngine();
    const request = await engine.getRequest(name);
    if (request.executor === 'htcondor') refuseOptions(invocation, OF_OFFER, OF_POOL);
    return driveRequest(context, engine, request, {
      labels: labelOption(invocation),
      site: siteOption(invocation),
    });
  },
};

/** Flags that only some of the actions have a use for. */
const FLAGS: Record<string, readonly string[]> = {
  state: ['list'],
  round: ['errors', 'units'],
  pause: ['stop'],
  reason: ['release', 'fail', 'restart', 'stop', 'pause', 'resume'],
  dryRun: ['release', 'fail', 'restart', 'stop', 'pause', 'resume'],
  ban: ['release'],
  exclude: ['release'],
  retries: ['release'],
  dag: ['import'],
  threshold: ['release'],
  rescues: ['release'],
  memory: ['release', 'run'],
  maxParallel: ['run'],
  cpus: ['run'],
  gpus: ['run'],
  keepWork: ['run'],
  grace: ['run'],
  site: ['run'],
  label: ['run'],
};

export const requestsCommand: Command = async (context, invocation) => {
  const [action = 'list', name] = invocation.args;
  refuseFlags(action, invocation);
  if (action === 'list') {
    if (name !== undefined) throw invalid(name, '`requests list` takes no name; `requests show` does');
    return list(context, invocation);
  }
  if (action === 'import') {
    const { importDagCommand } = await import('./import-dag.ts');
    return importDagCommand(context, name, invocation);
  }
  const known = ACTIONS[action];
  if (known === undefined) {
    const names = ['list', ...Object.keys(ACTIONS), 'import'];
    throw invalid(
      'requests',
      `there is no action ${action}${didYouMean(action, names)} (${names.join(', ')})`,
    );
  }
  if (name === undefined) throw invalid('name', 'name the request, as `holdfast requests list` shows it');
  return known(context, name, invocation);
};

function refuseFlags(action: string, { options, lists }: Invocation): void {
  for (const [flag, actions] of Object.entries(FLAGS)) {
    if (actions.includes(action) || (options[flag] === undefined && lists[flag] === undefined)) continue;
    const written = `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw invalid(written, `only with ${actions.map((each) => `\`requests ${each}\``).join(' or ')}`);
  }
}

async function list(context: CommandContext, { options }: Invocation): Promise<number> {
  const states = typeof options.state === 'string' ? options.state.split(',').map(stateOf) : null;
  const engine = await context.openEngine();
  const requests: RequestSummary[] = await allPages((page) =>
    engine.listRequests({ ...page, ...(states !== null && { state: states }) }),
  );
  context.show(requestsView, requests);
  return 0;
}

function stateOf(text: string): RequestState {
  const state = REQUEST_STATES.find((each) => each === text.trim().toUpperCase());
  if (state !== undefined) return state;
  throw invalid('--state', `there is no state ${text}${didYouMean(text.toUpperCase(), REQUEST_STATES)}`);
}

/** Flags are read before the engine is opened: a mistake in them is reported whatever there is. */
function changing<A>(
  read: (invocation: Invocation) => A,
  change: (engine: Engine, name: string, action: A) => Promise<RequestChange>,
): Action {
  return async (context, name, invocation) => {
    const action = read(invocation);
    const engine = await context.openEngine();
    const isDryRun = invocation.options.dryRun === true;
    context.show(requestChangeView, { change: await change(engine, name, action), isDryRun });
    return 0;
  };
}

/** The same for what ends a request. Without a server nobody but this process may be there to see to the outputs. */
function ending<A>(
  read: (invocation: Invocation) => A,
  change: (engine: Engine, name: string, action: A) => Promise<RequestChange>,
): Action {
  const carryOut = changing(read, change);
  return async (context, name, invocation) => {
    const code = await carryOut(context, name, invocation);
    if (context.server !== null || invocation.options.dryRun === true) return code;
    await endDagRuns(context, name);
    const interrupted = new AbortController();
    let worker: RunWorker | null = null;
    const stopListening = onInterrupt((count) => {
      interrupted.abort();
      if (count === 1) worker?.stop();
      else worker?.kill();
    });
    try {
      await finishOutputs(context, await context.openEngine(), name, {
        isPatient: false,
        signal: interrupted.signal,
        note: context.narrate,
        working: (current) => {
          worker = current;
        },
      });
    } finally {
      stopListening();
    }
    const [request] = name.split('@');
    await (await notifyOf(context, await context.openEngine(), { request: request! })).finish();
    return code;
  };
}

/** Nobody else may be there to remove what DAGMan still runs of a request that has ended. */
async function endDagRuns(context: CommandContext, name: string): Promise<void> {
  const engine = await context.openServedEngine();
  const { executor, version, status } = await engine.getRequest(name);
  if (executor !== 'htcondor') return;
  const { removeDagRuns } = await import('../../htcondor/remove-dag-runs.ts');
  // A restart has made the next version by now.
  const ended = status === 'FAILED' ? name : `${name.split('@')[0]}@${version - 1}`;
  await removeDagRuns(context, engine, { request: ended });
}

function actionOf({ options }: Invocation) {
  return {
    actor: userName(),
    ...(typeof options.reason === 'string' && { reason: options.reason }),
    ...(options.dryRun === true && { dry_run: true }),
  };
}

function stopOf(invocation: Invocation): StopAction {
  return { ...actionOf(invocation), ...(invocation.options.pause === true && { pause: true }) };
}

function releaseOf(invocation: Invocation): ReleaseAction {
  const { options, lists } = invocation;
  const retries = wholeNumberOption('--retries', options.retries, 0);
  const rescues = wholeNumberOption('--rescues', options.rescues, 0);
  const threshold = shareOption('--threshold', options.threshold);
  const memory = sizeOption('--memory', options.memory);
  if (lists.ban?.some((site) => site.trim() === '')) throw invalid('--ban', 'name the site');
  return {
    ...actionOf(invocation),
    ...(retries !== undefined && { retry_count: retries }),
    ...(rescues !== undefined && { error_max_rescue_attempts: rescues }),
    ...(threshold !== undefined && { error_hold_threshold: threshold }),
    ...(memory !== undefined && { memory_mb: Math.ceil(memory / MEGABYTE) }),
    ...(lists.ban !== undefined && { site_bans: lists.ban }),
    ...(lists.exclude !== undefined && { excluded_files: lists.exclude }),
  };
}

function shareOption(name: string, value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  const share = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw invalid(name, `must be a number from 0 to 1, not ${value}`);
}

function sizeOption(name: string, value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  const bytes = parseSize(String(value));
  if (bytes !== undefined && bytes > 0) return bytes;
  throw invalid(name, `must be a size such as 6g, not ${value}`);
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
