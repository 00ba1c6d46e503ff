import type { Endpoint } from '../../contract/endpoint.ts';
import type { EndpointId, endpoints } from '../../contract/endpoints.ts';
import type { Subject } from '../../contract/subject.ts';

/** Parameters of paths that name something with an owner. */
const PARAMETERS = {
  workflow_id: 'workflow',
  job_id: 'job',
  handler_id: 'handler',
  allocation_id: 'allocation',
  request_name: 'request',
} as const;

type Endpoints = typeof endpoints;
type WithoutSubject = {
  [I in EndpointId]: Endpoints[I]['path'] extends `${string}{${keyof typeof PARAMETERS}}${string}`
    ? never
    : I;
}[EndpointId];

/** `list`: it has only what the reader may see. `shared`: it is the same for everybody, or the role is enough. */
type Rule = 'list' | 'shared' | 'query.workflow_id' | 'query.request' | 'body.request' | 'worker';

/** What endpoints are about whose paths do not say it. The compiler refuses a new one that is not here. */
const RULES: Record<WithoutSubject, Rule> = {
  listWorkflows: 'list',
  listSummaries: 'list',
  listAttention: 'list',
  listDecisions: 'list',
  listRequests: 'list',
  listSites: 'list',
  listWorkerJobs: 'list',
  listAllJobs: 'query.workflow_id',
  listAllocations: 'query.workflow_id',
  banSite: 'body.request',
  unbanSite: 'query.request',
  // Its jobs are lost at once; a drain lets them end.
  loseWorker: 'worker',
  drainWorker: 'shared',
  listWorkers: 'shared',
  // What is submitted belongs to the caller; what a spec may name is checked where it is read.
  createWorkflow: 'shared',
  createRequest: 'shared',
  checkSpec: 'shared',
  simulateSpec: 'shared',
  // A worker runs jobs of everybody.
  registerWorker: 'shared',
  resumeWorker: 'shared',
  exchange: 'shared',
  news: 'shared',
  putLogs: 'shared',
  adopt: 'shared',
  retireWorker: 'shared',
  // For admins.
  pruneWorkflows: 'shared',
  createToken: 'shared',
  listTokens: 'shared',
  revokeToken: 'shared',
  listAudit: 'shared',
  whoAmI: 'shared',
  login: 'shared',
  logout: 'shared',
  // Counts of everything, and that something was changed.
  metrics: 'shared',
  changes: 'shared',
  live: 'shared',
  ready: 'shared',
  openApi: 'shared',
  docs: 'shared',
};

/** Of a checked request. */
interface Given {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** What the request is about; null: nothing that belongs to one caller more than to another. */
export function subjectOf(id: EndpointId, { path }: Endpoint, given: Given): Subject | null {
  const params = given.params as Record<string, number & string>;
  for (const [name, kind] of Object.entries(PARAMETERS)) {
    if (!path.includes(`{${name}}`)) continue;
    const value = params[name]!;
    return kind === 'request' ? { kind, name: value } : { kind, id: value };
  }
  const query = given.query as { workflow_id?: number; request?: string };
  switch (RULES[id as WithoutSubject]) {
    case 'query.workflow_id':
      return query.workflow_id === undefined ? null : { kind: 'workflow', id: query.workflow_id };
    case 'query.request':
      return requestIn(query);
    case 'body.request':
      return requestIn(given.body as { request?: string });
    case 'worker':
      return { kind: 'worker', id: params.worker_id! };
    default:
      return null;
  }
}

function requestIn({ request }: { request?: string }): Subject | null {
  return request === undefined ? null : { kind: 'request', name: request };
}
