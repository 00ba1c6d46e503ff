import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HoldfastError } from '../core/errors.ts';
import type { Role } from '../core/token.ts';
import type { Access } from './auth/access.ts';
import type { Caller } from './auth/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null where none is needed. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Every route says who may use it; null: anybody. */
    role?: Role | null;
    endpoint?: string;
  }
}

export interface GuardedRoute {
  method: string;
  url: string;
  role: Role | null;
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Nothing gets past this but what its route's role allows. */
export function guardRoutes(app: FastifyInstance, access: Access, stopping: AbortSignal): GuardedRoute[] {
  const routes: GuardedRoute[] = [];
  app.decorateRequest('caller', null);
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.role === undefined) throw new Error(`the route ${url} does not say who may use it`);
    for (const each of [method].flat()) routes.push({ method: each, url, role: config.role });
  });
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(HEADERS).header('x-request-id', request.id);
    const { role = null, endpoint } = request.routeOptions.config;
    request.caller = await access.admit(request, reply, role);
    // Before its body is read: nobody has said yet who they are.
    if (request.is404) throw noEndpoint(request);
    if (stopping.aborted && endpoint !== 'live' && endpoint !== 'ready') {
      void reply.header('connection', 'close').header('retry-after', 1);
      throw new HoldfastError('SHUTTING_DOWN');
    }
  });
  return routes;
}

function noEndpoint({ method, url }: FastifyRequest): HoldfastError {
  return new HoldfastError('NO_ENDPOINT', { method, path: url.split('?', 1)[0]!.slice(0, 200) });
}
