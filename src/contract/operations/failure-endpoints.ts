import { z } from 'zod';
import { json } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { idParameter, listOf, pageQuery, wholeNumber } from '../parameters.ts';
import {
  decisionSchema,
  failureGroup,
  failureSummary,
  recoverRequest,
  recoverResult,
  resolveRequest,
  resolveResult,
} from '../schemas/resolution.ts';
import { jobStatus, page } from '../schemas/scalars.ts';

const tag = 'Failures';
const fingerprint = z.string().min(1).max(200).exactOptional();

export const failureEndpoints = {
  listFailures: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/failures',
    role: 'viewer',
    tag,
    summary: 'Lists failed jobs of the current run, grouped by what their failures look like.',
    query: z.strictObject({
      status: listOf(jobStatus).exactOptional().describe('(default: failed, terminated and pending_failed)'),
      fingerprint,
      limit: wholeNumber(1, 10_000).exactOptional().describe('Most jobs of each group (default: all).'),
    }),
    answer: json(z.array(failureGroup)),
  }),
  summarizeFailures: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/failures/summary',
    role: 'viewer',
    tag,
    summary:
      'Counts failed jobs of the current run by what their failures look like, with one job of each group.',
    query: z.strictObject({
      status: listOf(jobStatus).exactOptional().describe('(default: failed, terminated and pending_failed)'),
      limit: wholeNumber(1, 200).exactOptional().describe('Most groups (default: 50), the largest first.'),
    }),
    answer: json(
      z
        .object({
          groups: z.array(failureSummary),
          more: z.boolean().describe('true: there are smaller groups besides.'),
        })
        .meta({ id: 'FailureSummaries' }),
    ),
  }),
  resolve: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/resolve',
    role: 'operator',
    tag,
    summary: 'Retries or fails jobs that wait for a decision; all of them or none.',
    body: resolveRequest,
    answer: json(resolveResult),
  }),
  recover: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/recover',
    role: 'operator',
    tag,
    summary: 'Tries again what failed for a known cause, with more of what it lacked.',
    body: recoverRequest,
    answer: json(recoverResult),
  }),
  listDecisions: operation({
    method: 'GET',
    path: '/api/v1/decisions',
    role: 'viewer',
    tag,
    summary: 'Lists decisions of people and agents, newest first.',
    query: z.strictObject({ ...pageQuery, workflow_id: idParameter.exactOptional(), fingerprint }),
    answer: json(page(decisionSchema)),
  }),
};
