import { z } from 'zod';
import { endpoint, json } from '../endpoint.ts';
import { idParameter, listOf, NO_PARAMETERS, pageQuery, workflowParams } from '../parameters.ts';
import {
  decisionRecord,
  failureGroup,
  recoverRequest,
  recoverResult,
  resolveRequest,
  resolveResult,
} from '../schemas/resolution.ts';
import { jobStatus, page } from '../schemas/scalars.ts';

const tag = 'Failures';
const fingerprint = z.string().min(1).max(200).exactOptional();

export const failureEndpoints = {
  listFailures: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/failures',
    role: 'viewer',
    tag,
    summary: 'Lists failed jobs of the current run, grouped by what their failures look like.',
    params: workflowParams,
    query: z.strictObject({
      status: listOf(jobStatus)
        .exactOptional()
        .describe('failed, terminated and pending_failed unless told.'),
      fingerprint,
    }),
    body: null,
    answer: json(z.array(failureGroup)),
  }),
  resolve: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/resolve',
    role: 'operator',
    tag,
    summary: 'Decides about jobs that wait for it; as a whole or not at all.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: resolveRequest,
    answer: json(resolveResult),
  }),
  recover: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/recover',
    role: 'operator',
    tag,
    summary: 'Tries again what failed for a known cause, with more of what it lacked.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: recoverRequest,
    answer: json(recoverResult),
  }),
  listDecisions: endpoint({
    method: 'GET',
    path: '/api/v1/decisions',
    role: 'viewer',
    tag,
    summary: 'Lists decisions of people and agents, newest first.',
    params: NO_PARAMETERS,
    query: z.strictObject({ ...pageQuery, workflow_id: idParameter.exactOptional(), fingerprint }),
    body: null,
    answer: json(page(decisionRecord)),
  }),
};
