import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { ServedEngine } from '../../../contract/engine.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { mcpRoutes } from '../../../mcp/http-route.ts';
import { readVersion } from '../../../mcp/read-version.ts';
import type { AuthMode } from '../../../server/auth/check-listen.ts';
import { startServer } from '../../../server/start-server.ts';
import { webRoutes } from '../../../server/web/web-routes.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import { ServiceWorker } from '../../../worker/service-worker.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { errorSettings } from '../../config/error-settings.ts';
import { hideVariables } from '../../config/hide-variables.ts';
import { hasDagman } from '../../htcondor/need-dagman.ts';
import { runDriver } from '../../htcondor/run-driver.ts';
import { onInterrupt } from '../../interrupts.ts';
import { serverPolicy } from '../../notify/notify-policy.ts';
import { warnOfTraces } from '../../notify/run-notifier.ts';
import { OF_WORKER, refuseOptions } from '../../options/refuse-options.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { retryDefaults } from '../../read-spec.ts';
import { placeOfWorkers } from '../../run/place-of-workers.ts';
import { clusterAllocator } from '../../slurm/cluster-allocator.ts';
import { listeningView } from '../../texts/listening-text.ts';
import { serviceWorkerOptions, warnOfExposure } from '../../worker/service-worker-options.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 7600;
const LAST_PORT = 65_535;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** Of one token in a day. */
const MAX_AGENT_DECISIONS = 100;
/** Options that only the worker of this process has a use for. */
const OF_OWN_WORKER = ['lease', 'drainTimeout', ...OF_WORKER];
const WITHOUT_OWN = 'only with --with-worker; other workers have their own, as in `holdfast worker`';
const OF_CLIENTS = ['server', 'tokenFile'];
const IS_SERVER = 'is for commands that ask a server; --host and --port say where this one listens';
/** A proxy on this machine, unless others are named. */
const LOCAL_PROXIES = ['127.0.0.1', '::1'];

export const serveCommand: Command = async (context, invocation) => {
  const { options, lists } = invocation;
  refuseOptions(invocation, OF_CLIENTS, IS_SERVER);
  const listen = { host: host(options.host), port: port(options.port) };
  const allowHosts = (lists.allowHost ?? []).map(hostName);
  const trustProxy = proxies(options.trustProxy);
  const auth = choice('--auth', options.auth, ['none', 'token'], 'none') as AuthMode;
  const logLevel = choice('--log-level', options.logLevel, LOG_LEVELS, 'info');
  const workerOptions = options.withWorker === true ? serviceWorkerOptions(context, invocation) : null;
  if (workerOptions !== null) {
    // The database is this server's own; its jobs are other people's.
    if (context.settings.database_url !== null) hideVariables(['DATABASE_URL']);
    warnOfExposure(context);
  }
  const version = readVersion();
  if (workerOptions === null) refuseOptions(invocation, OF_OWN_WORKER, WITHOUT_OWN);
  warnOfTraces(context);
  const engine = await context.openServedEngine();
  const agents = mcpRoutes({
    engine,
    version,
    place: placeOfWorkers(context),
    environment: process.env,
    maxDecisions: MAX_AGENT_DECISIONS,
    minConfidence: 0,
  });
  const allocator = await clusterAllocator(context, engine, { host: listen.host, auth });
  const server = await startServer(engine, {
    ...listen,
    ...(allocator !== null && { allocator }),
    ...(hasDagman() && { runs: runDriver(context, null) }),
    auth,
    version,
    routes: [agents, webRoutes()],
    retryDefaults: retryDefaults(context.origins),
    errorSettings: errorSettings(context.origins),
    notify: serverPolicy(context.settings),
    maxActiveRequests: context.settings.max_active_requests,
    allowHosts: allocator === null ? allowHosts : [...allowHosts, hostname()],
    trustProxy,
    log: { write: (line) => void context.stderr.write(line) },
    logLevel,
    submissionLimits: context.settings.submission_limits,
    accessGroups: context.settings.access_groups,
    streamsPerToken: context.settings.streams_per_token,
    connections: { perAddress: context.settings.connections_per_address },
  }).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, listen) ?? error;
  });
  try {
    const worker =
      workerOptions && new ServiceWorker(server.engine, { ...workerOptions, apiUrl: server.url });
    await serveUntilAsked(context, worker, async () => {
      context.show(listeningView, { url: server.url });
      noteOtherDatabase(context);
      if (auth === 'token') await warnWithoutTokens(context, engine);
    });
  } finally {
    await server.stop();
  }
  return 0;
};

/** Until the first signal; with a worker, until that has left after it. `announce` may ask it to end at once. */
async function serveUntilAsked(
  context: CommandContext,
  worker: ServiceWorker | null,
  announce: () => Promise<void>,
): Promise<void> {
  let leave: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const stopListening = onInterrupt((count) => {
    if (worker === null) leave();
    else if (count === 1) {
      context.narrate('press Ctrl-C again to stop the running jobs');
      worker.drain();
    } else if (count === 2) worker.stop();
    else worker.kill();
    leave();
  });
  try {
    await announce();
    const working = worker?.run();
    // A worker that was drained has left; the server stays. One that cannot work ends it.
    await Promise.race([asked, working?.then(() => asked) ?? asked]);
    await working;
  } finally {
    stopListening();
  }
}

/** undefined if it is something else that is wrong. */
function cannotListen(
  { code, message, syscall }: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): HoldfastError | undefined {
  if (code === 'EADDRINUSE')
    return invalid('--port', `${port} is already in use; choose another port, or 0 for a free one`);
  if (code === 'EACCES') return invalid('--port', `this user may not listen on ${port}`);
  return syscall === 'listen' || syscall === 'getaddrinfo'
    ? invalid('--host', `cannot listen on ${host}: ${message}`)
    : undefined;
}

async function warnWithoutTokens({ command, narrate }: CommandContext, engine: ServedEngine): Promise<void> {
  const now = Date.now();
  const usable = (await engine.listTokens()).some(
    ({ role, revoked_at_ms, expires_at_ms }) =>
      role !== 'worker' && revoked_at_ms === null && (expires_at_ms === null || expires_at_ms > now),
  );
  if (usable) return;
  const create = command('token', 'create', '--name', 'NAME', '--role', 'admin');
  narrate(`there is no valid token yet: ${create} creates the first one`);
}

/** Programs of other kinds use the name too; but who starts a server may have meant it. */
function noteOtherDatabase({ settings, stateDir, narrate }: CommandContext): void {
  if (!process.env.DATABASE_URL || settings.database_url !== null) return;
  narrate(`DATABASE_URL is no address like postgres://user@host/name: the state is in ${stateDir}`);
}

/** IPv6 addresses may stand in brackets, as they do in a URL. */
function host(value: string | boolean | undefined): string {
  return typeof value === 'string' && value !== '' ? value.replace(/^\[(.*)\]$/, '$1') : DEFAULT_HOST;
}

/** Something else would be allowed, and never be asked for. */
function hostName(name: string): string {
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^[\w.-]+$/.test(name)) return name;
  throw invalid('--allow-host', `must be a name or an address, without a scheme or a port, not ${name}`);
}

function port(value: string | boolean | undefined): number {
  const number = wholeNumberOption('--port', value, 0) ?? DEFAULT_PORT;
  if (number <= LAST_PORT) return number;
  throw invalid('--port', `must be at most ${LAST_PORT}`);
}

function proxies(value: string | boolean | undefined): string[] {
  if (value === undefined || value === false) return [];
  const addresses = value === true ? LOCAL_PROXIES : value.split(',').map((each) => each.trim());
  for (const each of addresses) if (!isNetwork(each)) throw invalid('--trust-proxy', notANetwork(each));
  return addresses;
}

/** An address, or a range of them as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return (
    rest.length === 0 && most > 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
  );
}

function notANetwork(text: string): string {
  return `must be addresses like 10.0.0.7 or 10.0.0.0/8, with commas, not ${text || 'nothing'}`;
}

function choice(
  argument: string,
  value: string | boolean | undefined,
  values: readonly string[],
  fallback: string,
): string {
  if (value === undefined) return fallback;
  const found = values.find((each) => each === value);
  if (found !== undefined) return found;
  throw invalid(
    argument,
    `must be ${values.join(' or ')}, not ${value}${didYouMean(String(value), [...values])}`,
  );
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
