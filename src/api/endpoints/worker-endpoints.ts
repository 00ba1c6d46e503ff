import { z } from 'zod';
import { created, endpoint, json, NOTHING } from '../endpoint.ts';
import { idParameter, NO_PARAMETERS, pageQuery, wholeNumber } from '../parameters.ts';
import {
  adoption,
  exchangeRequest,
  exchangeResult,
  logParts,
  resumedWorker,
  workerIdentity,
} from '../schemas/exchange.ts';
import { id, page } from '../schemas/scalars.ts';
import { workerRecord } from '../schemas/workflow-records.ts';

const tag = 'Workers';
const workerParams = z.strictObject({ worker_id: idParameter });

/** The longest that anybody is kept waiting. */
export const LONGEST_WAIT_MS = 60_000;
export const waitQuery = wholeNumber(0, LONGEST_WAIT_MS)
  .exactOptional()
  .describe('How long to wait for something at the most; 20 s unless told.');

export const workerEndpoints = {
  listWorkers: endpoint({
    method: 'GET',
    path: '/api/v1/workers',
    role: 'viewer',
    tag,
    summary: 'Lists workers, newest first.',
    params: NO_PARAMETERS,
    query: z.strictObject(pageQuery),
    body: null,
    answer: json(page(workerRecord)),
  }),
  registerWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers',
    role: 'operator',
    tag,
    summary: 'A worker says who it is and what it has.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: workerIdentity,
    answer: created(workerRecord),
  }),
  drainWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/drain',
    role: 'operator',
    tag,
    summary: 'Has a worker end what it has, take nothing more, and leave.',
    params: workerParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(workerRecord),
  }),
  resumeWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/resume',
    role: 'operator',
    tag,
    summary: 'A restarted process goes on as the worker that it was.',
    params: workerParams,
    query: NO_PARAMETERS,
    body: workerIdentity,
    answer: json(resumedWorker),
  }),
  exchange: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/exchange',
    role: 'operator',
    tag,
    summary: 'Reports and claims in one transaction; also renews the lease.',
    params: workerParams,
    query: NO_PARAMETERS,
    body: exchangeRequest,
    anyText: true,
    answer: json(exchangeResult),
  }),
  news: endpoint({
    method: 'GET',
    path: '/api/v1/workers/{worker_id}/news',
    role: 'operator',
    tag,
    summary: 'Waits until there may be something for a worker: then it should exchange.',
    params: workerParams,
    query: z.strictObject({ timeout_ms: waitQuery }),
    body: null,
    answer: json(z.object({ news: z.boolean() }).meta({ id: 'News' })),
  }),
  putLogs: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/logs',
    role: 'operator',
    tag,
    summary: 'A worker sends what its attempts wrote.',
    params: workerParams,
    query: NO_PARAMETERS,
    body: logParts,
    answer: NOTHING,
  }),
  adopt: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/adopt',
    role: 'operator',
    tag,
    summary: 'A worker takes over a run, unless another live one drives it.',
    params: workerParams,
    query: NO_PARAMETERS,
    body: z.strictObject({ workflow_id: id }).meta({ id: 'AdoptRequest' }),
    answer: json(adoption),
  }),
  retireWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/retire',
    role: 'operator',
    tag,
    summary: 'A worker leaves; what it still holds is closed as lost.',
    params: workerParams,
    query: NO_PARAMETERS,
    body: null,
    answer: NOTHING,
  }),
};
