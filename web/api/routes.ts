import type { endpoints, OperationId } from '../../src/contract/endpoints.ts';

type Endpoints = typeof endpoints;
type Route<I extends OperationId> = readonly [Endpoints[I]['method'], Endpoints[I]['path']];

/**
 * Operations that pages call. The compiler compares each line with the contract, of which only the types are used here:
 * its schemas would be a quarter of the application.
 */
export const ROUTES = {
  listSummaries: ['GET', '/api/v1/overview'],
  listAttention: ['GET', '/api/v1/attention'],
  listRequests: ['GET', '/api/v1/requests'],
  listSites: ['GET', '/api/v1/sites'],
  status: ['GET', '/api/v1/workflows/{workflow_id}/status'],
  graph: ['GET', '/api/v1/workflows/{workflow_id}/graph'],
  listTimelines: ['GET', '/api/v1/workflows/{workflow_id}/timelines'],
  listJobs: ['GET', '/api/v1/workflows/{workflow_id}/jobs'],
  explain: ['GET', '/api/v1/workflows/{workflow_id}/jobs/{job}/explain'],
  listEvents: ['GET', '/api/v1/workflows/{workflow_id}/events'],
  listFailures: ['GET', '/api/v1/workflows/{workflow_id}/failures'],
  retryJobs: ['POST', '/api/v1/workflows/{workflow_id}/retry'],
  cancel: ['POST', '/api/v1/workflows/{workflow_id}/cancel'],
  resetStatus: ['POST', '/api/v1/workflows/{workflow_id}/reset-status'],
  resolve: ['POST', '/api/v1/workflows/{workflow_id}/resolve'],
  pauseWorkflow: ['POST', '/api/v1/workflows/{workflow_id}/pause'],
  stopWorkflow: ['POST', '/api/v1/workflows/{workflow_id}/stop'],
  resumeWorkflow: ['POST', '/api/v1/workflows/{workflow_id}/resume'],
  resumeScheduler: ['POST', '/api/v1/workflows/{workflow_id}/schedulers/{name}/resume'],
} as const satisfies { [I in OperationId]?: Route<I> };

export type CalledOperation = keyof typeof ROUTES;
