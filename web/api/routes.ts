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
  getRequest: ['GET', '/api/v1/requests/{request_name}'],
  listRounds: ['GET', '/api/v1/requests/{request_name}/rounds'],
  listUnits: ['GET', '/api/v1/requests/{request_name}/units'],
  requestErrors: ['GET', '/api/v1/requests/{request_name}/errors'],
  requestHistory: ['GET', '/api/v1/requests/{request_name}/history'],
  releaseRequest: ['POST', '/api/v1/requests/{request_name}/release'],
  failRequest: ['POST', '/api/v1/requests/{request_name}/fail'],
  restartRequest: ['POST', '/api/v1/requests/{request_name}/restart'],
  stopRequest: ['POST', '/api/v1/requests/{request_name}/stop'],
  pauseRequest: ['POST', '/api/v1/requests/{request_name}/pause'],
  resumeRequest: ['POST', '/api/v1/requests/{request_name}/resume'],
  banSite: ['POST', '/api/v1/sites/{site}/ban'],
  unbanSite: ['DELETE', '/api/v1/sites/{site}/ban'],
  listWorkers: ['GET', '/api/v1/workers'],
  listWorkerJobs: ['GET', '/api/v1/workers/{worker_id}/jobs'],
  drainWorker: ['POST', '/api/v1/workers/{worker_id}/drain'],
  listAllocations: ['GET', '/api/v1/allocations'],
  cancelAllocation: ['POST', '/api/v1/allocations/{allocation_id}/cancel'],
  getWorkflow: ['GET', '/api/v1/workflows/{workflow_id}'],
  status: ['GET', '/api/v1/workflows/{workflow_id}/status'],
  graph: ['GET', '/api/v1/workflows/{workflow_id}/graph'],
  listTimelines: ['GET', '/api/v1/workflows/{workflow_id}/timelines'],
  listJobs: ['GET', '/api/v1/workflows/{workflow_id}/jobs'],
  samples: ['GET', '/api/v1/workflows/{workflow_id}/jobs/{job}/samples'],
  explain: ['GET', '/api/v1/workflows/{workflow_id}/jobs/{job}/explain'],
  listEvents: ['GET', '/api/v1/workflows/{workflow_id}/events'],
  listFailures: ['GET', '/api/v1/workflows/{workflow_id}/failures'],
  summarizeFailures: ['GET', '/api/v1/workflows/{workflow_id}/failures/summary'],
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
