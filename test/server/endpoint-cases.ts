import type { EndpointId } from '../../src/api/endpoints.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { Scene } from './scene.ts';
import { type Asked, IDENTITY, NO_REPORTS } from './server-world.ts';

type Ask = (scene: Scene) => Asked | Promise<Asked>;

/** What every endpoint is asked. `null`: there is no such case, for the reason beside it. */
export interface EndpointCase {
  works: Ask;
  /** With the place of the mistake. */
  bad: [Ask, string] | null;
  missing: [Ask, ErrorCode] | null;
  conflict: [Ask, ErrorCode] | null;
}

const get = (url: string): Asked => ({ url });
const post = (url: string, body?: unknown): Asked => ({
  method: 'POST',
  url,
  ...(body !== undefined && { body }),
});
const put = (url: string, body: unknown): Asked => ({ method: 'PUT', url, body });
const remove = (url: string): Asked => ({ method: 'DELETE', url });

const noWorkflow = (method: 'GET' | 'POST', rest: string, body?: unknown): [Ask, ErrorCode] => [
  () => ({ method, url: `/api/v1/workflows/999${rest}`, ...(body !== undefined && { body }) }),
  'WORKFLOW_NOT_FOUND',
];
const noJob = (method: 'GET' | 'POST', rest: string, body?: unknown): [Ask, ErrorCode] => [
  ({ url }) => ({ method, url: url(`/jobs/nobody${rest}`), ...(body !== undefined && { body }) }),
  'JOB_NOT_FOUND',
];

const RECOVER = {
  memory_multiplier: 1.5,
  runtime_multiplier: 1.5,
  max_memory_bytes: null,
  max_runtime_ms: null,
  retry_unknown: true,
};
const EXCHANGE = { ...NO_REPORTS, capacity: null };

export const CASES: Record<EndpointId, EndpointCase> = {
  createWorkflow: {
    works: () => post('/api/v1/workflows', { spec: { name: 'new', jobs: [{ name: 'a', command: 'true' }] } }),
    bad: [() => post('/api/v1/workflows', { spec: 'jobs:\n  - nmae: a\n' }), 'body.spec.jobs[0].nmae'],
    missing: null,
    conflict: [
      async ({ world }) => {
        const headers = { 'idempotency-key': 'k' };
        const ask = (name: string) => ({
          ...post('/api/v1/workflows', { spec: { name, jobs: [{ name: 'a', command: 'true' }] } }),
          headers,
        });
        await world.ask({ ...ask('one'), token: world.tokens.operator });
        return ask('two');
      },
      'KEY_REUSED',
    ],
  },
  listWorkflows: {
    works: () => get('/api/v1/workflows?limit=1'),
    bad: [() => get('/api/v1/workflows?limit=1001'), 'query.limit'],
    missing: null,
    conflict: null,
  },
  getWorkflow: {
    works: ({ url }) => get(url()),
    bad: [() => get('/api/v1/workflows/0'), 'path.workflow_id'],
    missing: noWorkflow('GET', ''),
    conflict: null,
  },
  status: {
    works: ({ url }) => get(url('/status')),
    bad: [({ url }) => get(url('/status?verbose=1')), 'query.verbose'],
    missing: noWorkflow('GET', '/status'),
    conflict: null,
  },
  cancel: {
    works: ({ url }) => post(url('/cancel'), { jobs: ['blocked'], reason: 'not needed' }),
    bad: [({ url }) => post(url('/cancel'), { jobs: [''] }), 'body.jobs[0]'],
    missing: noWorkflow('POST', '/cancel', {}),
    conflict: null,
  },
  resetStatus: {
    works: async ({ world }) => {
      const other = await world.submit(
        { name: 'o', jobs: [{ name: 'a', command: 'true' }] },
        world.tokens.operator,
      );
      await world.engine.cancel(other, { actor: 'test' });
      return post(`/api/v1/workflows/${other}/reset-status`, { failed_only: true });
    },
    bad: [({ url }) => post(url('/reset-status'), { failed: true }), 'body.failed'],
    missing: noWorkflow('POST', '/reset-status', {}),
    conflict: [({ url }) => post(url('/reset-status'), {}), 'RUN_ACTIVE'],
  },
  addEvent: {
    works: ({ url }) => post(url('/events'), { type: 'note', reason: 'seen', data: {} }),
    bad: [({ url }) => post(url('/events'), { type: 'completed', reason: 'x', data: {} }), 'body.type'],
    missing: noWorkflow('POST', '/events', { type: 'note', reason: 'seen', data: {} }),
    conflict: null,
  },
  createFailureHandler: {
    works: ({ url }) =>
      post(url('/failure_handlers'), { name: 'new', rules: '[{"exit_codes":[3],"max_retries":2}]' }),
    bad: [({ url }) => post(url('/failure_handlers'), { name: 'new', rules: 7 }), 'body.rules'],
    missing: noWorkflow('POST', '/failure_handlers', { name: 'n', rules: '[{"exit_codes":[3]}]' }),
    conflict: [
      ({ url }) => post(url('/failure_handlers'), { name: 'patient', rules: '[{"exit_codes":[3]}]' }),
      'HANDLER_EXISTS',
    ],
  },
  listFailureHandlers: {
    works: ({ url }) => get(url('/failure_handlers')),
    bad: [() => get('/api/v1/workflows/1.5/failure_handlers'), 'path.workflow_id'],
    missing: noWorkflow('GET', '/failure_handlers'),
    conflict: null,
  },
  getFailureHandler: {
    works: ({ handler }) => get(`/api/v1/failure_handlers/${handler}`),
    bad: [() => get('/api/v1/failure_handlers/patient'), 'path.handler_id'],
    missing: [() => get('/api/v1/failure_handlers/999'), 'HANDLER_NOT_FOUND'],
    conflict: null,
  },
  deleteFailureHandler: {
    works: ({ handler }) => remove(`/api/v1/failure_handlers/${handler}`),
    bad: [() => remove('/api/v1/failure_handlers/-1'), 'path.handler_id'],
    missing: [() => remove('/api/v1/failure_handlers/999'), 'HANDLER_NOT_FOUND'],
    conflict: null,
  },
  listFiles: {
    works: ({ url }) => get(url('/files')),
    bad: [({ url }) => get(url('/files?after=1')), 'query.after'],
    missing: noWorkflow('GET', '/files'),
    conflict: null,
  },
  listUserData: {
    works: ({ url }) => get(url('/user_data')),
    bad: [({ url }) => get(url('/user_data?name=x')), 'query.name'],
    missing: noWorkflow('GET', '/user_data'),
    conflict: null,
  },
  setUserData: {
    works: ({ url }) => put(url('/user_data/result'), { data: [1, 'two', null] }),
    bad: [({ url }) => put(url('/user_data/result'), { data: 1, value: 2 }), 'body.value'],
    missing: [({ url }) => put(url('/user_data/other'), { data: 1 }), 'USER_DATA_NOT_FOUND'],
    conflict: null,
  },
  listJobs: {
    works: ({ url }) => get(url('/jobs?status=failed,pending_failed&name=e&sort=-name&limit=2')),
    bad: [({ url }) => get(url('/jobs?sort=status')), 'query.sort'],
    missing: noWorkflow('GET', '/jobs'),
    conflict: null,
  },
  listAllJobs: {
    works: () => get('/api/v1/jobs?status=pending_failed'),
    bad: [() => get('/api/v1/jobs?status=broken'), 'query.status[0]'],
    missing: [() => get('/api/v1/jobs?workflow_id=999'), 'WORKFLOW_NOT_FOUND'],
    conflict: null,
  },
  getJob: {
    works: ({ url }) => get(url('/jobs/name:done')),
    bad: [() => get('/api/v1/workflows/x/jobs/done'), 'path.workflow_id'],
    missing: noJob('GET', ''),
    conflict: null,
  },
  findJob: {
    works: ({ jobs }) => get(`/api/v1/jobs/${jobs.done!.id}`),
    bad: [() => get('/api/v1/jobs/done'), 'path.job_id'],
    missing: [() => get('/api/v1/jobs/999'), 'NO_SUCH_JOB'],
    conflict: null,
  },
  decideJob: {
    works: ({ jobs }) => put(`/api/v1/jobs/${jobs.undecided!.id}`, { status: 'ready', reason: 'flaky disk' }),
    bad: [({ jobs }) => put(`/api/v1/jobs/${jobs.undecided!.id}`, { status: 'running' }), 'body.status'],
    missing: [() => put('/api/v1/jobs/999', { status: 'failed' }), 'NO_SUCH_JOB'],
    conflict: [({ jobs }) => put(`/api/v1/jobs/${jobs.running!.id}`, { status: 'failed' }), 'NOT_PENDING'],
  },
  retryJobInRun: {
    works: ({ jobs }) => post(`/api/v1/jobs/${jobs.broken!.id}/retry/1?max_retries=3`),
    bad: [({ jobs }) => post(`/api/v1/jobs/${jobs.broken!.id}/retry/1`), 'query.max_retries'],
    missing: [() => post('/api/v1/jobs/999/retry/1?max_retries=3'), 'NO_SUCH_JOB'],
    conflict: [({ jobs }) => post(`/api/v1/jobs/${jobs.undecided!.id}/retry/2?max_retries=3`), 'WRONG_RUN'],
  },
  retryJob: {
    works: ({ url }) => post(url('/jobs/broken/retry')),
    bad: [({ url }) => post(url('/jobs/broken/retry'), { max_retries: -1 }), 'body.max_retries'],
    missing: noJob('POST', '/retry', {}),
    conflict: [({ url }) => post(url('/jobs/undecided/retry'), {}), 'DECISION_PENDING'],
  },
  changeResources: {
    works: ({ url }) => post(url('/jobs/blocked/resources'), { memory: '2g', dry_run: true }),
    bad: [({ url }) => post(url('/jobs/blocked/resources'), { memory: 2 }), 'body.memory'],
    missing: noJob('POST', '/resources', { memory: '2g' }),
    conflict: null,
  },
  explain: {
    works: ({ url }) => get(url('/jobs/broken/explain')),
    bad: [() => get('/api/v1/workflows/-/jobs/broken/explain'), 'path.workflow_id'],
    missing: noJob('GET', '/explain'),
    conflict: null,
  },
  listAttempts: {
    works: ({ url }) => get(url('/attempts?job=broken&run_id=1')),
    bad: [({ url }) => get(url('/attempts?run_id=first')), 'query.run_id'],
    missing: [({ url }) => get(url('/attempts?job=nobody')), 'JOB_NOT_FOUND'],
    conflict: null,
  },
  listEvents: {
    works: ({ url }) => get(url('/events?after=1&limit=3')),
    bad: [({ url }) => get(url('/events?limit=0')), 'query.limit'],
    missing: noWorkflow('GET', '/events'),
    conflict: null,
  },
  streamEvents: {
    works: ({ url }) => get(url('/events/stream?job=broken')),
    bad: [
      ({ url }) => ({ url: url('/events/stream'), headers: { 'last-event-id': 'x' } }),
      'headers.last-event-id',
    ],
    missing: noWorkflow('GET', '/events/stream'),
    conflict: null,
  },
  readLog: {
    works: ({ url }) => get(url('/jobs/done/logs/stdout')),
    bad: [({ url }) => get(url('/jobs/done/logs/stdin')), 'path.stream'],
    missing: [({ url }) => get(url('/jobs/blocked/logs/stdout')), 'NO_ATTEMPT'],
    conflict: null,
  },
  utilization: {
    works: ({ url }) => get(url('/utilization')),
    bad: [({ url }) => get(url('/utilization?limit=many')), 'query.limit'],
    missing: noWorkflow('GET', '/utilization'),
    conflict: null,
  },
  listFailures: {
    works: ({ url }) => get(url('/failures?status=failed,pending_failed')),
    bad: [({ url }) => get(url('/failures?status=failed,bad')), 'query.status[1]'],
    missing: noWorkflow('GET', '/failures'),
    conflict: null,
  },
  resolve: {
    works: ({ url, jobs }) =>
      post(url('/resolve'), {
        decisions: [{ job_id: jobs.undecided!.id, action: 'retry', reason: 'flaky', confidence: 0.9 }],
      }),
    bad: [
      ({ url, jobs }) =>
        post(url('/resolve'), { decisions: [{ job_id: jobs.undecided!.id, action: 'ignore' }] }),
      'body.decisions[0].action',
    ],
    missing: noWorkflow('POST', '/resolve', { decisions: [{ job_id: 1, action: 'fail' }] }),
    conflict: [
      ({ url, jobs }) => post(url('/resolve'), { decisions: [{ job_id: jobs.done!.id, action: 'fail' }] }),
      'NOT_PENDING',
    ],
  },
  recover: {
    works: ({ url }) => post(url('/recover'), { ...RECOVER, dry_run: true }),
    bad: [({ url }) => post(url('/recover'), { ...RECOVER, memory_multiplier: 1 }), 'body.memory_multiplier'],
    missing: noWorkflow('POST', '/recover', RECOVER),
    conflict: null,
  },
  listDecisions: {
    works: () => get('/api/v1/decisions?workflow_id=1'),
    bad: [() => get('/api/v1/decisions?workflow_id=0'), 'query.workflow_id'],
    missing: null,
    conflict: null,
  },
  listWorkers: {
    works: () => get('/api/v1/workers'),
    bad: [() => get('/api/v1/workers?after=-1'), 'query.after'],
    missing: null,
    conflict: null,
  },
  registerWorker: {
    works: () => post('/api/v1/workers', IDENTITY),
    bad: [() => post('/api/v1/workers', { ...IDENTITY, cpus: -1 }), 'body.cpus'],
    missing: null,
    conflict: null,
  },
  drainWorker: {
    works: ({ worker }) => post(`/api/v1/workers/${worker}/drain`),
    bad: [({ worker }) => post(`/api/v1/workers/${worker}/drain`, { now: true }), 'body'],
    missing: [() => post('/api/v1/workers/999/drain'), 'WORKER_NOT_FOUND'],
    conflict: null,
  },
  resumeWorker: {
    works: ({ worker }) => post(`/api/v1/workers/${worker}/resume`, IDENTITY),
    bad: [({ worker }) => post(`/api/v1/workers/${worker}/resume`, { ...IDENTITY, kind: 'x' }), 'body.kind'],
    missing: [() => post('/api/v1/workers/999/resume', IDENTITY), 'WORKER_NOT_FOUND'],
    conflict: [retired('resume', IDENTITY), 'WORKER_RETIRED'],
  },
  exchange: {
    works: ({ worker }) => post(`/api/v1/workers/${worker}/exchange`, EXCHANGE),
    bad: [
      ({ worker }) =>
        post(`/api/v1/workers/${worker}/exchange`, {
          ...EXCHANGE,
          started: [{ token: 1, started_at_ms: 'now' }],
        }),
      'body.started[0].started_at_ms',
    ],
    missing: [() => post('/api/v1/workers/999/exchange', EXCHANGE), 'WORKER_NOT_FOUND'],
    conflict: [retired('exchange', EXCHANGE), 'WORKER_RETIRED'],
  },
  news: {
    works: ({ worker }) => get(`/api/v1/workers/${worker}/news?timeout_ms=1`),
    bad: [({ worker }) => get(`/api/v1/workers/${worker}/news?timeout_ms=60001`), 'query.timeout_ms'],
    missing: null,
    conflict: null,
  },
  putLogs: {
    works: ({ worker, claims }) =>
      post(`/api/v1/workers/${worker}/logs`, {
        parts: [{ token: claims.running!.token, stream: 'stderr', offset: 0, data: 'aGk=' }],
      }),
    bad: [
      ({ worker, claims }) =>
        post(`/api/v1/workers/${worker}/logs`, {
          parts: [{ token: claims.running!.token, stream: 'stderr', offset: 0, data: '%%%' }],
        }),
      'body.parts[0].data',
    ],
    missing: null,
    conflict: null,
  },
  adopt: {
    works: ({ worker, workflow }) => post(`/api/v1/workers/${worker}/adopt`, { workflow_id: workflow }),
    bad: [({ worker }) => post(`/api/v1/workers/${worker}/adopt`, {}), 'body.workflow_id'],
    missing: [
      ({ worker }) => post(`/api/v1/workers/${worker}/adopt`, { workflow_id: 999 }),
      'WORKFLOW_NOT_FOUND',
    ],
    conflict: null,
  },
  retireWorker: {
    works: ({ worker }) => post(`/api/v1/workers/${worker}/retire`),
    bad: [() => post('/api/v1/workers/me/retire'), 'path.worker_id'],
    missing: null,
    conflict: null,
  },
  createToken: {
    works: () => post('/api/v1/tokens', { name: 'ci', role: 'viewer', expires_at_ms: null }),
    bad: [() => post('/api/v1/tokens', { name: 'c i', role: 'viewer', expires_at_ms: null }), 'body.name'],
    missing: null,
    conflict: null,
  },
  listTokens: {
    works: () => get('/api/v1/tokens'),
    bad: [() => get('/api/v1/tokens?role=admin'), 'query.role'],
    missing: null,
    conflict: null,
  },
  revokeToken: {
    works: () => remove('/api/v1/tokens/1'),
    bad: [() => remove('/api/v1/tokens/ci'), 'path.token_id'],
    missing: [() => remove('/api/v1/tokens/999'), 'TOKEN_NOT_FOUND'],
    conflict: null,
  },
  listAudit: {
    works: () => get('/api/v1/audit'),
    bad: [() => get('/api/v1/audit?limit=x'), 'query.limit'],
    missing: null,
    conflict: null,
  },
  whoAmI: {
    works: () => get('/api/v1/whoami'),
    bad: [() => get('/api/v1/whoami?x=1'), 'query.x'],
    missing: null,
    conflict: null,
  },
  login: {
    works: ({ world }) => post('/api/v1/login', { token: world.tokens.viewer }),
    bad: [() => post('/api/v1/login', { token: 7 }), 'body.token'],
    missing: null,
    conflict: null,
  },
  logout: {
    works: () => post('/api/v1/logout'),
    bad: [() => post('/api/v1/logout', { all: true }), 'body'],
    missing: null,
    conflict: null,
  },
  changes: {
    works: () => get('/api/v1/changes?since=x&timeout_ms=1'),
    bad: [() => get('/api/v1/changes?timeout_ms=soon'), 'query.timeout_ms'],
    missing: null,
    conflict: null,
  },
  live: {
    works: () => get('/healthz'),
    bad: [() => get('/healthz?x=1'), 'query.x'],
    missing: null,
    conflict: null,
  },
  ready: {
    works: () => get('/readyz'),
    bad: [() => get('/readyz?x=1'), 'query.x'],
    missing: null,
    conflict: null,
  },
  metrics: {
    works: () => get('/metrics'),
    bad: [() => get('/metrics?x=1'), 'query.x'],
    missing: null,
    conflict: null,
  },
  openApi: {
    works: () => get('/api/v1/openapi.json'),
    bad: [() => get('/api/v1/openapi.json?x=1'), 'query.x'],
    missing: null,
    conflict: null,
  },
  docs: {
    works: () => get('/api/v1/docs'),
    bad: [() => get('/api/v1/docs?x=1'), 'query.x'],
    missing: null,
    conflict: null,
  },
};

function retired(what: string, body: unknown): Ask {
  return async ({ world, worker }) => {
    await world.engine.retireWorker(worker);
    return post(`/api/v1/workers/${worker}/${what}`, body);
  };
}
