import type { Endpoint } from './endpoint.ts';
import { accessEndpoints } from './endpoints/access-endpoints.ts';
import { failureEndpoints } from './endpoints/failure-endpoints.ts';
import { jobEndpoints } from './endpoints/job-endpoints.ts';
import { serviceEndpoints } from './endpoints/service-endpoints.ts';
import { workerEndpoints } from './endpoints/worker-endpoints.ts';
import { workflowEndpoints } from './endpoints/workflow-endpoints.ts';

/** Everything that can be asked of a server, besides MCP. */
export const endpoints = {
  ...workflowEndpoints,
  ...jobEndpoints,
  ...failureEndpoints,
  ...workerEndpoints,
  ...accessEndpoints,
  ...serviceEndpoints,
};

export type EndpointId = keyof typeof endpoints;

export const ENDPOINTS = Object.entries(endpoints) as [EndpointId, Endpoint][];
