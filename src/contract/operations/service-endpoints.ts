import { z } from 'zod';
import { endpoint, json } from '../endpoint.ts';
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
    answer: json(z.object({ version: z.string(), changed: z.boolean() }).meta({ id: 'Changes' })),
  }),
  live: endpoint({
    method: 'GET',
    path: '/healthz',
    role: null,
    tag,
    summary: 'Answers as long as the process lives.',
    answer: json(ok),
  }),
  ready: endpoint({
    method: 'GET',
    path: '/readyz',
    role: null,
    tag,
    summary:
      'Answers with 200 while the server and its database take requests, with 503 or, where the disk is full, 507 otherwise.',
    answer: json(ok),
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    role: 'viewer',
    tag,
    summary: 'Gives counters and gauges for Prometheus.',
    answer: { kind: 'stream', type: 'text/plain', description: 'The text format of Prometheus.' },
  }),
  openApi: endpoint({
    method: 'GET',
    path: '/api/v1/openapi.json',
    role: null,
    tag,
    summary: 'Gives this description.',
    answer: json(z.record(z.string(), z.unknown()).describe('OpenAPI 3.1.')),
  }),
  docs: endpoint({
    method: 'GET',
    path: '/api/v1/docs',
    role: null,
    tag,
    summary: 'Shows this description as a page.',
    answer: { kind: 'stream', type: 'text/html', description: 'A page for people.' },
  }),
};
