import { z } from 'zod';
import { created, endpoint, json, NOTHING } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { flagParameter, pageQuery, wholeNumber } from '../parameters.ts';
import { WORKER_SECRET } from '../request-headers.ts';
import {
  adoption,
  exchangeRequest,
  exchangeResult,
  logParts,
  registeredWorker,
  resumedWorker,
  workerIdentity,
} from '../schemas/exchange.ts';
import { id, page } from '../schemas/scalars.ts';
import { heldJob, workerSchema } from '../schemas/workflow-records.ts';
import { roomQuery } from './worker-room.ts';

const tag = 'Workers';
/** What only the process of the worker may ask for. */
const BY_WORKER = {
  role: 'worker',
  byWorker: true,
  headers: [
    {
      name: WORKER_SECRET,
      description: 'Required: the secret from the registration of the worker.',
      schema: { pattern: '^hf_[A-Za-z0-9_-]{43}$' },
    },
  ],
} as const;

/** The longest that anybody is kept waiting. */
export const LONGEST_WAIT_MS = 60_000;
export const waitQuery = wholeNumber(0, LONGEST_WAIT_MS)
  .exactOptional()
  .describe('How long to wait at most (default: 20000).');

export const workerEndpoints = {
  listWorkers: operation({
    method: 'GET',
    path: '/api/v1/workers',
    role: 'viewer',
    tag,
    summary: 'Lists workers, newest first.',
    query: z.strictObject({
      ...pageQuery,
      present: flagParameter.exactOptional().describe('Only workers that have not left.'),
    }),
    answer: json(page(workerSchema)),
  }),
  listWorkerJobs: operation({
    method: 'GET',
    path: '/api/v1/workers/{worker_id}/jobs',
    role: 'viewer',
    tag,
    summary: 'Lists the jobs that a worker holds, oldest first.',
    query: z.strictObject(pageQuery),
    answer: json(page(heldJob)),
  }),
  registerWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers',
    role: 'worker',
    tag,
    summary: 'Registers a worker: who it is, and what it has. The answer holds its secret.',
    body: workerIdentity,
    answer: created(registeredWorker),
  }),
  drainWorker: operation({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/drain',
    repeatable: true,
    role: 'operator',
    tag,
    summary: 'Has a worker end what it has, take nothing more, and leave.',
    answer: json(workerSchema),
  }),
  resumeWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/resume',
    repeatable: true,
    ...BY_WORKER,
    tag,
    summary: 'A restarted process continues as the worker that it was.',
    body: workerIdentity,
    answer: json(resumedWorker),
  }),
  exchange: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/exchange',
    repeatable: true,
    ...BY_WORKER,
    tag,
    summary: 'Reports and claims in one transaction; also renews the lease.',
    body: exchangeRequest,
    anyText: true,
    answer: json(exchangeResult),
  }),
  news: endpoint({
    method: 'GET',
    path: '/api/v1/workers/{worker_id}/news',
    ...BY_WORKER,
    tag,
    summary: 'Waits until there may be something for a worker: then it should exchange.',
    query: z.strictObject({ timeout_ms: waitQuery, ...roomQuery }),
    answer: json(z.object({ news: z.boolean() }).meta({ id: 'News' })),
  }),
  putLogs: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/logs',
    repeatable: true,
    ...BY_WORKER,
    tag,
    summary: 'A worker sends what its attempts wrote.',
    body: logParts,
    answer: NOTHING,
  }),
  adopt: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/adopt',
    repeatable: true,
    ...BY_WORKER,
    tag,
    summary: 'A worker takes over a run, unless another live one drives it.',
    body: z.strictObject({ workflow_id: id }).meta({ id: 'AdoptRequest' }),
    answer: json(adoption),
  }),
  retireWorker: endpoint({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/retire',
    repeatable: true,
    ...BY_WORKER,
    tag,
    summary: 'A worker leaves; its attempts that have not ended are closed as lost.',
    answer: NOTHING,
  }),
  loseWorker: operation({
    method: 'POST',
    path: '/api/v1/workers/{worker_id}/lost',
    role: 'operator',
    tag,
    summary: 'Declares a worker dead: its jobs are lost at once, without waiting for the end of its lease.',
    answer: json(workerSchema),
  }),
};
