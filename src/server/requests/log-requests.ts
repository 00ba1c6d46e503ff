import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** What is asked without end, and says nothing to anybody who reads the log. */
const QUIET = new Set(['exchange', 'news', 'changes', 'live', 'ready', 'metrics', 'putLogs', 'asset']);

/** One line and one observation for each request. */
export function logRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, caller } = request;
    const { url: route = 'none', config } = routeOptions;
    const { statusCode, elapsedTime } = reply;
    metrics.requests.observe({ method, route, status: String(statusCode) }, elapsedTime / 1000);
    const level = QUIET.has(config.endpoint ?? '') && statusCode < 400 ? 'debug' : 'info';
    request.log[level](
      {
        ...idsOf(request),
        method,
        route,
        status: statusCode,
        ms: Math.round(elapsedTime * 10) / 10,
        ...(caller?.auth === 'token' && { caller: caller.name }),
        address: request.ip,
      },
      'answered',
    );
  });
}

const IDS = ['workflow_id', 'job_id', 'job', 'run_id', 'attempt_id', 'worker_id', 'handler_id'];

function idsOf({ params, query }: FastifyRequest): Record<string, unknown> {
  const given = { ...(query as object), ...(params as object) } as Record<string, unknown>;
  return Object.fromEntries(
    IDS.filter((name) => given[name] !== undefined).map((name) => [name, String(given[name]).slice(0, 200)]),
  );
}
