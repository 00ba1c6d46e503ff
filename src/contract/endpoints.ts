import type { Endpoint } from './endpoint.ts';
import type { MethodOf, Operation } from './operation.ts';
import { accessEndpoints } from './operations/access-endpoints.ts';
import { allocationEndpoints } from './operations/allocation-endpoints.ts';
import { failureEndpoints } from './operations/failure-endpoints.ts';
import { housekeepingEndpoints } from './operations/housekeeping-endpoints.ts';
import { jobEndpoints } from './operations/job-endpoints.ts';
import { overviewEndpoints } from './operations/overview-endpoints.ts';
import { requestEndpoints } from './operations/request-endpoints.ts';
import { serviceEndpoints } from './operations/service-endpoints.ts';
import { workerEndpoints } from './operations/worker-endpoints.ts';
import { workflowEndpoints } from './operations/workflow-endpoints.ts';

/** Everything that can be asked of a server, besides MCP. */
export const endpoints = {
  ...workflowEndpoints,
  ...housekeepingEndpoints,
  ...jobEndpoints,
  ...failureEndpoints,
  ...overviewEndpoints,
  ...requestEndpoints,
  ...workerEndpoints,
  ...allocationEndpoints,
  ...accessEndpoints,
  ...serviceEndpoints,
};

type Endpoints = typeof endpoints;
export type EndpointId = keyof Endpoints;
/** Those that are methods of the engine by the rule of `Operation`. */
export type OperationId = {
  [I in EndpointId]: Endpoints[I] extends { isOperation: true } ? I : never;
}[EndpointId];
export type OperationMethods = { [I in OperationId]: MethodOf<Endpoints[I]> };

export const ENDPOINTS = Object.entries(endpoints) as [EndpointId, Endpoint][];
export const OPERATIONS = ENDPOINTS.filter(([, each]) => 'isOperation' in each) as [OperationId, Operation][];
