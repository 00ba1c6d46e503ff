import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../api/openapi.ts';
import type { ServedEngine } from '../core/engine.ts';
import { Access } from './auth/access.ts';
import { HostCheck } from './auth/check-host.ts';
import { type AuthMode, checkListen } from './auth/check-listen.ts';
import { FailureLimit } from './auth/failure-limit.ts';
import { TokenCache } from './auth/token-cache.ts';
import { ChangeFeed } from './change-feed.ts';
import { type GuardedRoute, guardRoutes } from './guard-routes.ts';
import { accessHandlers } from './handlers/access-handlers.ts';
import { failureHandlers } from './handlers/failure-handlers.ts';
import { jobHandlers } from './handlers/job-handlers.ts';
import { serviceHandlers } from './handlers/service-handlers.ts';
import { workerHandlers } from './handlers/worker-handlers.ts';
import { workflowHandlers } from './handlers/workflow-handlers.ts';
import type { LogTarget } from './log-lines.ts';
import { LogReader } from './log-reader.ts';
import { LongAnswers } from './long-answers.ts';
import { RecordMask } from './mask-records.ts';
import { Metrics } from './metrics.ts';
import { newFastify } from './new-fastify.ts';
import { NewsDesk } from './news-desk.ts';
import { routeEndpoints } from './route-endpoints.ts';
import { tellRequests } from './tell-requests.ts';

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
  log?: LogTarget;
  logLevel?: string;
  bodyLimit?: number;
  routes?: readonly MoreRoutes[];
  clock?: () => number;
}

export interface HoldfastServer {
  app: FastifyInstance;
  /** Everything that it answers to. */
  routes: readonly GuardedRoute[];
  news: NewsDesk;
  /** From now on it says that it is not ready. */
  leave(): void;
  /** Long answers end, and nothing new is begun; what is being answered is answered. */
  windDown(): void;
}

const BODY_LIMIT = 8 * 1024 * 1024;

/** The HTTP face of an engine. Does not listen by itself. */
export function createServer(engine: ServedEngine, options: ServerOptions): HoldfastServer {
  const { host, auth, version, allowHosts = [], routes = [], clock = Date.now } = options;
  const { bodyLimit = BODY_LIMIT } = options;
  checkListen(host, auth);
  const leaving = new AbortController();
  const stopping = new AbortController();
  const app = newFastify({
    log: options.log,
    logLevel: options.logLevel,
    trustProxy: options.trustProxy,
    bodyLimit,
  });
  const access = new Access({
    auth,
    tokens: new TokenCache(engine, clock),
    hosts: new HostCheck(host, allowHosts),
    failures: new FailureLimit(clock),
  });
  const changes = new ChangeFeed(engine);
  const news = new NewsDesk(engine, (error) => app.log.warn({ err: error }, 'cannot look for news'));
  const metrics = new Metrics(engine);
  const mask = new RecordMask(engine);
  const longAnswers = new LongAnswers();
  const logs = new LogReader(engine, mask);
  const paths = Object.assign({}, ...routes.map((more) => more.paths));
  const openApi = openApiDocument(version, { paths });

  const guarded = guardRoutes(app, access, stopping.signal);
  tellRequests(app, metrics);
  routeEndpoints(app, {
    handlers: {
      ...workflowHandlers(engine),
      ...jobHandlers({ engine, access, mask, logs, changes, metrics }),
      ...failureHandlers(engine),
      ...workerHandlers(engine, news, metrics),
      ...accessHandlers(engine, access),
      ...serviceHandlers({ engine, changes, metrics, leaving: leaving.signal, openApi }),
    },
    mask,
    longAnswers,
  });
  for (const more of routes) more.register(app);
  app.addHook('onClose', () => {
    news.close();
    changes.close();
  });
  return {
    app,
    routes: guarded,
    news,
    leave: () => leaving.abort(),
    windDown: () => {
      leaving.abort();
      stopping.abort();
      longAnswers.endAll();
      news.close();
    },
  };
}
