import { z } from 'zod';
import { endpoint, json } from '../endpoint.ts';
import { NO_PARAMETERS } from '../parameters.ts';
import { waitQuery } from './worker-endpoints.ts';

const tag = 'Service';
const ok = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });

export const serviceEndpoints = {
  changes: endpoint({
    method: 'GET',
    path: '/api/v1/changes',
    role: 'viewer',
    tag,
    summary: 'Waits until something was changed.',
    params: NO_PARAMETERS,
    query: z.strictObject({
      since: z
        .string()
        .max(100)
        .exactOptional()
        .describe(
          'The `version` of the answer before; without it there is no wait, with one of another server a short one.',
        ),
      timeout_ms: waitQuery,
    }),
    body: null,
    answer: json(z.object({ version: z.string(), changed: z.boolean() }).meta({ id: 'Changes' })),
  }),
  live: endpoint({
    method: 'GET',
    path: '/healthz',
    role: null,
    tag,
    summary: 'Answers as long as the process lives.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: json(ok),
  }),
  ready: endpoint({
    method: 'GET',
    path: '/readyz',
    role: null,
    tag,
    summary: 'Answers with 200 while the server and its database take requests, with 503 otherwise.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: json(ok),
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    role: 'viewer',
    tag,
    summary: 'Gives counters and gauges for Prometheus.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: { kind: 'stream', type: 'text/plain', description: 'The text format of Prometheus.' },
  }),
  openApi: endpoint({
    method: 'GET',
    path: '/api/v1/openapi.json',
    role: null,
    tag,
    summary: 'Gives this description.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: json(z.record(z.string(), z.unknown()).describe('OpenAPI 3.1.')),
  }),
  docs: endpoint({
    method: 'GET',
    path: '/api/v1/docs',
    role: null,
    tag,
    summary: 'Shows this description as a page.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: { kind: 'stream', type: 'text/html', description: 'A page for people.' },
  }),
};
