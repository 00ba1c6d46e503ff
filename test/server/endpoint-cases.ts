import type { EndpointId } from '../../src/contract/endpoints.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import { ALLOCATION_CASES } from './allocation-cases.ts';
import { type Ask, type EndpointCase, get, post, put, remove } from './endpoint-case.ts';
import { REQUEST_CASES } from './request-cases.ts';
import { type Asked, IDENTITY, NO_REPORTS } from './server-world.ts';

/** By the process of the worker. */
const posted = (worker: number, what: string, body?: unknown): Asked => ({
  ...post(`/api/v1/workers/${worker}/${what}`, body),
  worker,
});

const noWorkflow = (method: 'GET' | 'POST' | 'PUT', rest: string, body?: unknown): [Ask, ErrorCode] => [
  () => ({ method, url: `/api/v1/workflows/999${rest}`, ...(body !== undefined && { body }) }),
  'WORKFLOW_NOT_FOUND',
];
const noJob = (method: 'GET' | 'POST', rest: string, body?: unknown): [Ask, ErrorCode] => [
  ({ url }) => ({ method, url: url(`/jobs/nobody${rest}`), ...(body !== undefined && { body }) }),
  'JOB_NOT_FOUND',
];

/** What is asked of a workflow that is complete. */
const complete =
  (ask: (url: string) => Asked): Ask =>
  async ({ world }) => {
    const spec = { name: 'complete', jobs: [{ name: 'a', command: 'true' }] };
    const id = await world.submit(spec, world.tokens.operator);
    await world.engine.cancel(id, { actor: 'test' });
    return ask(`/api/v1/workflows/${id}`);
  };

/** What is asked of a workflow that is paused. */
const paused =
  (what: string): Ask =>
  async ({ world }) => {
    const spec = { name: 'paused', jobs: [{ name: 'a', command: 'true' }] };
    const id = await world.submit(spec, world.tokens.operator);
    await world.engine.pauseWorkflow(id, { actor: 'test' });
    return post(`/api/v1/workflows/${id}/${what}`, {});
  };

const RECOVER = {
  memory_multiplier: 1.5,
  runtime_multiplier: 1.5,
  max_memory_bytes: null,
  max_runtime_ms: null,
  retry_unknown: true,
};
const EXCHANGE = { ...NO_REPORTS, capacity: null };

export const CASES: Record<EndpointId, EndpointCase> = {
  ...REQUEST_CASES,
  ...ALLOCATION_CASES,
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
  checkSpec: {
    works: () => post('/api/v1/specs/check', { spec: 'name: a\njobs:\n  - { nmae: b }\n' }),
    bad: [() => post('/api/v1/specs/check', {}), 'body.spec'],
    missing: null,
    conflict: null,
  },
  simulateSpec: {
    works: () =>
      post('/api/v1/specs/simulate', {
        spec: { name: 'a', jobs: [{ name: 'b', command: 'true' }] },
        job: 'b',
        outcomes: ['1'],
      }),
    bad: [() => post('/api/v1/specs/simulate', { spec: 'name: a', job: 'b', outcomes: [] }), 'body.outcomes'],
    missing: null,
    conflict: null,
  },
  listWorkflows: {
    works: () => get('/api/v1/workflows?limit=1'),
    bad: [() => get('/api/v1/workflows?limit=1001'), 'query.limit'],
    missing: null,
    conflict: null,
  },
  listSummaries: {
    works: () => get('/api/v1/overview?limit=5&open=true&name=SCE'),
    bad: [() => get('/api/v1/overview?open=yes'), 'query.open'],
    missing: null,
    conflict: null,
  },
  listAttention: {
    works: () => get('/api/v1/attention'),
    bad: [() => get('/api/v1/attention?limit=1'), 'query.limit'],
    missing: null,
    conflict: null,
  },
  graph: {
    works: ({ url }) => get(url('/graph')),
    bad: [({ url }) => get(url('/graph?all=1')), 'query.all'],
    missing: noWorkflow('GET', '/graph'),
    conflict: null,
  },
  listTimelines: {
    works: ({ url }) => get(url('/timelines?runs=2&limit=5&group=ready')),
    bad: [({ url }) => get(url('/timelines?runs=21')), 'query.runs'],
    missing: noWorkflow('GET', '/timelines'),
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
  updateWorkflow: {
    works: ({ url }) =>
      put(url('/spec'), { spec: { name: 'w', jobs: [{ name: 'new', command: 'true' }] }, dry_run: true }),
    bad: [({ url }) => put(url('/spec'), { spec: 'jobs:\n  - nmae: a\n' }), 'body.spec.jobs[0].nmae'],
    missing: noWorkflow('PUT', '/spec', { spec: { name: 'w', jobs: [{ name: 'a', command: 'true' }] } }),
    conflict: null,
  },
  cancel: {
    works: ({ url }) => post(url('/cancel'), { jobs: ['blocked'], reason: 'not needed' }),
    bad: [({ url }) => post(url('/cancel'), { jobs: [''] }), 'body.jobs[0]'],
    missing: noWorkflow('POST', '/cancel', {}),
    conflict: null,
  },
  setRunSettings: {
    works: ({ url }) => put(url('/run-settings'), { host: 'here', max_parallel: 4, labels: ['gpu'] }),
    bad: [({ url }) => put(url('/run-settings'), { host: 'here', max_parallel: 0 }), 'body.max_parallel'],
    missing: noWorkflow('PUT', '/run-settings', { host: 'here' }),
    conflict: null,
  },
  setUntil: {
    works: ({ url }) => post(url('/until'), { until: ['blocked'] }),
    bad: [({ url }) => post(url('/until'), { until: [] }), 'body.until'],
    missing: noWorkflow('POST', '/until', { until: null }),
    conflict: null,
  },
  pauseWorkflow: {
    works: ({ url }) => post(url('/pause'), { reason: 'maintenance' }),
    bad: [({ url }) => post(url('/pause'), { why: 'maintenance' }), 'body.why'],
    missing: noWorkflow('POST', '/pause', {}),
    conflict: [paused('pause'), 'ALREADY_PAUSED'],
  },
  stopWorkflow: {
    works: paused('stop'),
    bad: [({ url }) => post(url('/stop'), { reason: 1 }), 'body.reason'],
    missing: noWorkflow('POST', '/stop', {}),
    conflict: [
      async ({ world, workflow, url }) => {
        await world.engine.stopWorkflow(workflow, { actor: 'test' });
        return post(url('/stop'), {});
      },
      'ALREADY_PAUSED',
    ],
  },
  resumeWorkflow: {
    works: paused('resume'),
    bad: [({ url }) => post(url('/resume'), { reason: 1 }), 'body.reason'],
    missing: noWorkflow('POST', '/resume', {}),
    conflict: [({ url }) => post(url('/resume'), {}), 'NOT_PAUSED'],
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
  deleteWorkflow: {
    works: complete((url) => remove(`${url}?dry_run=false`)),
    bad: [({ url }) => remove(url('?dry_run=maybe')), 'query.dry_run'],
    missing: [() => remove('/api/v1/workflows/999'), 'WORKFLOW_NOT_FOUND'],
    conflict: [({ url }) => remove(url('')), 'RUN_ACTIVE'],
  },
  pruneWorkflows: {
    works: () => post('/api/v1/workflows/prune', { older_than_ms: 1e12, keep: 5, statuses: ['failed'] }),
    bad: [() => post('/api/v1/workflows/prune', { dry_run: true }), 'body.older_than_ms'],
    missing: null,
    // What runs is kept.
    conflict: null,
  },
  archiveWorkflow: {
    works: complete((url) => post(`${url}/archive`, { reason: 'published' })),
    bad: [({ url }) => post(url('/archive'), { why: 'published' }), 'body.why'],
    missing: noWorkflow('POST', '/archive', {}),
    conflict: [({ url }) => post(url('/archive'), {}), 'WORKFLOW_BUSY'],
  },
  unarchiveWorkflow: {
    works: complete((url) => post(`${url}/unarchive`, {})),
    bad: [({ url }) => post(url('/unarchive'), { reason: 1 }), 'body.reason'],
    missing: noWorkflow('POST', '/unarchive', {}),
    // One that is not archived stays so.
    conflict: null,
  },
  reinitialize: {
    works: async ({ world }) => {
      const other = await world.submit(
        { name: 'o', jobs: [{ name: 'a', command: 'true' }] },
        world.tokens.operator,
      );
      await world.engine.cancel(other, { actor: 'test' });
      return post(`/api/v1/workflows/${other}/reinitialize`, { stale: [] });
    },
    bad: [
      ({ url }) => post(url('/reinitialize'), { stale: [{ job_id: 1, reason: 'old' }] }),
      'body.stale[0].reason',
    ],
    missing: noWorkflow('POST', '/reinitialize', { stale: [] }),
    conflict: [({ url }) => post(url('/reinitialize'), { stale: [] }), 'RUN_ACTIVE'],
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
    bad: [({ url }) => get(url('/files?after=x')), 'query.after'],
    missing: noWorkflow('GET', '/files'),
    conflict: null,
  },
  listFileMarks: {
    works: ({ url }) => get(url('/file_marks')),
    bad: [({ url }) => get(url('/file_marks?limit=0')), 'query.limit'],
    missing: noWorkflow('GET', '/file_marks'),
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
  retryJobs: {
    works: ({ url }) => post(url('/retry'), { patterns: ['brok*'], dry_run: true }),
    bad: [({ url }) => post(url('/retry'), { statuses: ['broken'] }), 'body.statuses[0]'],
    missing: noWorkflow('POST', '/retry', { statuses: ['failed'] }),
    conflict: [({ url }) => post(url('/retry'), { jobs: ['undecided'] }), 'DECISION_PENDING'],
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
    works: ({ url }) => get(url('/events?after=1&limit=3&type=retry,failure')),
    bad: [({ url }) => get(url('/events?type=nothing')), 'query.type[0]'],
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
  samples: {
    works: ({ url }) => get(url('/jobs/done/samples')),
    bad: [({ url }) => get(url('/jobs/done/samples?attempt_id=last')), 'query.attempt_id'],
    missing: [({ url }) => get(url('/jobs/blocked/samples')), 'NO_ATTEMPT'],
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
  summarizeFailures: {
    works: ({ url }) => get(url('/failures/summary?limit=5')),
    bad: [({ url }) => get(url('/failures/summary?limit=0')), 'query.limit'],
    missing: noWorkflow('GET', '/failures/summary'),
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
    works: () => get('/api/v1/workers?present=true'),
    bad: [() => get('/api/v1/workers?after=-1'), 'query.after'],
    missing: null,
    conflict: null,
  },
  listWorkerJobs: {
    works: ({ worker }) => get(`/api/v1/workers/${worker}/jobs?limit=5`),
    bad: [({ worker }) => get(`/api/v1/workers/${worker}/jobs?limit=0`), 'query.limit'],
    missing: [() => get('/api/v1/workers/999/jobs'), 'WORKER_NOT_FOUND'],
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
    works: ({ worker }) => posted(worker, 'resume', IDENTITY),
    bad: [({ worker }) => posted(worker, 'resume', { ...IDENTITY, kind: 'x' }), 'body.kind'],
    missing: [() => post('/api/v1/workers/999/resume', IDENTITY), 'WORKER_NOT_FOUND'],
    conflict: [retired('resume', IDENTITY), 'WORKER_RETIRED'],
  },
  exchange: {
    works: ({ worker }) => posted(worker, 'exchange', EXCHANGE),
    bad: [
      ({ worker }) =>
        posted(worker, 'exchange', {
          ...EXCHANGE,
          started: [{ token: 1, started_at_ms: 'now' }],
        }),
      'body.started[0].started_at_ms',
    ],
    missing: [() => post('/api/v1/workers/999/exchange', EXCHANGE), 'WORKER_NOT_FOUND'],
    conflict: [retired('exchange', EXCHANGE), 'WORKER_RETIRED'],
  },
  news: {
    works: ({ worker }) => ({ ...get(`/api/v1/workers/${worker}/news?timeout_ms=1`), worker }),
    bad: [
      ({ worker }) => ({ ...get(`/api/v1/workers/${worker}/news?timeout_ms=60001`), worker }),
      'query.timeout_ms',
    ],
    missing: null,
    conflict: null,
  },
  putLogs: {
    works: ({ worker, claims }) =>
      posted(worker, 'logs', {
        parts: [{ token: claims.running!.token, stream: 'stderr', offset: 0, data: 'aGk=' }],
      }),
    bad: [
      ({ worker, claims }) =>
        posted(worker, 'logs', {
          parts: [{ token: claims.running!.token, stream: 'stderr', offset: 0, data: '%%%' }],
        }),
      'body.parts[0].data',
    ],
    missing: null,
    conflict: null,
  },
  adopt: {
    works: ({ worker, workflow }) => posted(worker, 'adopt', { workflow_id: workflow }),
    bad: [({ worker }) => posted(worker, 'adopt', {}), 'body.workflow_id'],
    missing: [({ worker }) => posted(worker, 'adopt', { workflow_id: 999 }), 'WORKFLOW_NOT_FOUND'],
    conflict: null,
  },
  retireWorker: {
    works: ({ worker }) => posted(worker, 'retire'),
    bad: [() => post('/api/v1/workers/me/retire'), 'path.worker_id'],
    missing: null,
    conflict: null,
  },
  loseWorker: {
    works: ({ worker }) => post(`/api/v1/workers/${worker}/lost`),
    bad: [() => post('/api/v1/workers/me/lost'), 'path.worker_id'],
    missing: [() => post('/api/v1/workers/999/lost'), 'WORKER_NOT_FOUND'],
    conflict: [retired('lost'), 'WORKER_RETIRED'],
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
    works: async ({ world }) => {
      const token = { name: 'spare', role: 'viewer', expires_at_ms: null, actor: 'test' } as const;
      return remove(`/api/v1/tokens/${(await world.engine.createToken(token)).id}`);
    },
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

function retired(what: string, body?: unknown): Ask {
  return async ({ world, worker }) => {
    await world.engine.retireWorker(worker);
    return posted(worker, what, body);
  };
}
