import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { NeededRole } from '../../contract/roles.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Access } from '../auth/access.ts';
import type { Caller } from '../auth/caller.ts';
import type { WorkerSecrets } from '../auth/worker-secrets.ts';
import { KnownPaths } from './known-paths.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null where none is needed. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Every route says who may use it; null: anybody. */
    role?: NeededRole | null;
    endpoint?: string;
    /** Only the process of the worker that the path names may use it. */
    byWorker?: boolean;
    /** Its body is handed on as it arrived. */
    unread?: boolean;
  }
}

export interface GuardedRoute {
  method: string;
  url: string;
  role: NeededRole | null;
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Nothing gets past this but what its route's role allows. */
export function guardRoutes(
  app: FastifyInstance,
  { access, workers }: { access: Access; workers: WorkerSecrets },
  stopping: AbortSignal,
): GuardedRoute[] {
  const routes: GuardedRoute[] = [];
  const paths = new KnownPaths();
  app.decorateRequest('caller', null);
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.role === undefined) throw new Error(`the route ${url} does not say who may use it`);
    for (const each of [method].flat()) routes.push({ method: each, url, role: config.role });
    paths.add(url, [method].flat());
  });
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(HEADERS).header('x-request-id', request.id);
    const { role = null, endpoint, byWorker } = request.routeOptions.config;
    refuseRepeated(request);
    request.caller = await access.admit(request, reply, role);
    // Before its body is read: nobody has said yet who they are.
    if (request.is404) throw notFound(request, reply, paths);
    if (stopping.aborted && endpoint !== 'live' && endpoint !== 'ready') {
      void reply.header('connection', 'close').header('retry-after', 1);
      throw new HoldfastError('SHUTTING_DOWN');
    }
    if (byWorker === true) await workers.check(request.params, request.headers);
  });
  return routes;
}

function notFound({ method, url }: FastifyRequest, reply: FastifyReply, paths: KnownPaths): HoldfastError {
  const path = url.split('?', 1)[0]!;
  const allowed = paths.methodsOf(path).join(', ');
  const facts = { method, path: path.slice(0, 200) };
  if (allowed === '') return new HoldfastError('NO_ENDPOINT', facts);
  void reply.header('allow', allowed);
  return new HoldfastError('METHOD_NOT_ALLOWED', { ...facts, allowed });
}

/** Of a header that stands there twice, a proxy in front may believe one and this server the other. */
const ONCE = ['host', 'authorization', 'origin'];

function refuseRepeated({ raw }: FastifyRequest): void {
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated === undefined) return;
  throw new HoldfastError('UNREADABLE_REQUEST', { problem: `the header ${repeated} stands there twice` });
}
