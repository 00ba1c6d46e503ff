import { setMaxListeners } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { Allocator } from '../contract/allocator.ts';
import type { ServedEngine } from '../contract/engine.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { RunDriver } from '../contract/run-engine.ts';
import type { RetryPolicy } from '../core/policy/retry-policy.ts';
import type { ErrorSettings } from '../core/request/error-settings.ts';
import type { NotifyPolicy } from '../spec/notify/notify-policy.ts';
import { Access } from './auth/access.ts';
import { HostCheck } from './auth/check-host.ts';
import { type AuthMode, checkListen } from './auth/check-listen.ts';
import { FailureLimit } from './auth/failure-limit.ts';
import { Teams } from './auth/teams.ts';
import { TokenCache } from './auth/token-cache.ts';
import { WorkerSecrets } from './auth/worker-secrets.ts';
import { ChangeFeed } from './change-feed.ts';
import { countedEngine } from './counted-engine.ts';
import { accessHandlers } from './handlers/access-handlers.ts';
import { jobHandlers } from './handlers/job-handlers.ts';
import { requestHandlers } from './handlers/request-handlers.ts';
import { serviceHandlers } from './handlers/service-handlers.ts';
import { workerHandlers } from './handlers/worker-handlers.ts';
import { workflowHandlers } from './handlers/workflow-handlers.ts';
import type { LineTarget } from './mask/log-lines.ts';
import { MaskedLogs } from './mask/log-reader.ts';
import { RecordMask } from './mask/mask-records.ts';
import { Metrics } from './metrics.ts';
import { newFastify } from './new-fastify.ts';
import { NewsDesk } from './news-desk.ts';
import { type GuardedRoute, guardRoutes } from './requests/guard-routes.ts';
import { logRequests } from './requests/log-requests.ts';
import { LongAnswers } from './requests/long-answers.ts';
import { routeEndpoints } from './requests/route-endpoints.ts';
import { DEFAULT_STREAMS_PER_TOKEN, StreamLimit } from './stream-limit.ts';
import { SubmissionDesk } from './submission/submission-desk.ts';
import { DEFAULT_SUBMISSION_LIMITS, largestSize, type RoleLimits } from './submission/submission-limits.ts';

/** Routes that other layers add; each of them names its role. */
export interface MoreRoutes {
  /** Path items of the description. */
  paths: Record<string, unknown>;
  register(app: FastifyInstance): void;
}

export interface ServerOptions {
  /** Where it will listen: what may be asked of it without auth, and by which name, depends on it. */
  host: string;
  auth: AuthMode;
  version: string;
  /** Names by which it may be asked besides its own. */
  allowHosts?: readonly string[];
  /** Addresses of proxies whose X-Forwarded headers are believed. */
  trustProxy?: string[] | boolean;
  log?: LineTarget;
  logLevel?: string;
  bodyLimit?: number;
  /** How long a connection may take to send the head of a request. */
  headersTimeoutMs?: number;
  /** Open event streams and followed logs of one token. */
  streamsPerToken?: number;
  /** What a submission may ask for, by role. */
  submissionLimits?: RoleLimits;
  routes?: readonly MoreRoutes[];
  /** For workflows that neither their spec nor their client says more about. */
  retryDefaults?: Partial<RetryPolicy>;
  /** For requests whose specs set nothing else. */
  errorSettings?: Partial<ErrorSettings>;
  /** Asks a cluster for workers, which reach this server at `url`; absent: nobody does. */
  allocator?: (url: string) => Allocator;
  /** Has workflows and rounds with the executor `htcondor` run; absent: they are refused. */
  runs?: RunDriver;
  /** Whom it notifies for specs (default: nobody). */
  notify?: NotifyPolicy;
  /** Names of tokens by group (default: there are no groups). */
  accessGroups?: Readonly<Record<string, readonly string[]>>;
  clock?: () => number;
}

export interface HoldfastServer {
  app: FastifyInstance;
  /** Everything that it answers to. */
  routes: readonly GuardedRoute[];
  news: NewsDesk;
  /** Counts the exchanges of workers in the metrics. */
  engine: ServedEngine;
  /** From now on it says that it is not ready. */
  leave(): void;
  /** Long answers end, and nothing new is begun; what is being answered is answered. */
  windDown(): void;
}

const BODY_LIMIT = 8 * 1024 * 1024;

/** The HTTP face of an engine. Does not listen by itself. */
export function createServer(engine: ServedEngine, options: ServerOptions): HoldfastServer {
  const { host, auth, version, allowHosts = [], routes = [], clock = Date.now } = options;
  const { bodyLimit = BODY_LIMIT, submissionLimits = DEFAULT_SUBMISSION_LIMITS } = options;
  checkListen(host, auth);
  const leaving = new AbortController();
  const stopping = new AbortController();
  // Every request that waits listens to it.
  setMaxListeners(0, stopping.signal);
  const app = newFastify({
    log: options.log,
    logLevel: options.logLevel,
    trustProxy: options.trustProxy,
    bodyLimit,
    headersTimeoutMs: options.headersTimeoutMs,
  });
  const teams = new Teams(engine, options.accessGroups);
  const access = new Access({
    auth,
    tokens: new TokenCache(engine, clock),
    hosts: new HostCheck(host, allowHosts),
    failures: new FailureLimit(clock),
    teams,
  });
  const changes = new ChangeFeed(engine);
  const news = new NewsDesk(engine, (error) => app.log.warn({ err: error }, 'cannot look for news'));
  const metrics = new Metrics(engine);
  const counted = countedEngine(engine, metrics);
  const notify = options.notify ?? { targets: [], hasMail: false, hosts: [] };
  const mask = new RecordMask(engine);
  const longAnswers = new LongAnswers();
  const streams = new StreamLimit(options.streamsPerToken ?? DEFAULT_STREAMS_PER_TOKEN);
  const submissions = new SubmissionDesk(engine);
  const logs = new MaskedLogs(engine, mask);
  const paths = Object.assign({}, ...routes.map((more) => more.paths));

  const guarded = guardRoutes(app, { access, workers: new WorkerSecrets(engine) }, stopping.signal);
  logRequests(app, metrics);
  routeEndpoints(app, {
    engine,
    handlers: {
      ...workflowHandlers(submissions, submissionLimits, teams, {
        retryDefaults: options.retryDefaults ?? {},
        hasCluster: options.allocator !== undefined,
        hasDagman: options.runs !== undefined,
        notify,
      }),
      ...requestHandlers(submissions, submissionLimits, teams, {
        settings: options.errorSettings ?? {},
        hasDagman: options.runs !== undefined,
        notify,
      }),
      ...jobHandlers({ engine, access, teams, mask, logs, changes, metrics, streams }),
      ...workerHandlers(counted, news),
      ...accessHandlers(engine, access),
      ...serviceHandlers({
        engine,
        changes,
        metrics,
        leaving: leaving.signal,
        describe: () => openApiDocument(version, { paths, auth }),
      }),
    },
    teams,
    mask,
    longAnswers,
    submissionSize: largestSize(submissionLimits),
  });
  for (const more of routes) more.register(app);
  app.addHook('onClose', () => {
    submissions.close();
    news.close();
    changes.close();
  });
  return {
    app,
    routes: guarded,
    news,
    engine: counted,
    leave: () => leaving.abort(),
    windDown: () => {
      leaving.abort();
      stopping.abort();
      longAnswers.endAll();
      news.close();
    },
  };
}
