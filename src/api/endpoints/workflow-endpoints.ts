import { z } from 'zod';
import type { AddedEvent, NewFailureHandler } from '../../core/engine.ts';
import { created, endpoint, json, NOTHING } from '../endpoint.ts';
import { idParameter, NO_PARAMETERS, pageQuery, workflowParams } from '../parameters.ts';
import { schemaFor } from '../schema-for.ts';
import { newWorkflow } from '../schemas/new-workflow.ts';
import { cancelRequest, cancelResult, resetRequest, resetResult } from '../schemas/resolution.ts';
import { jobInBody, page, reason } from '../schemas/scalars.ts';
import {
  failureHandlerRecord,
  fileRecord,
  userDataRecord,
  workflowRecord,
  workflowStatus,
} from '../schemas/workflow-records.ts';

const tag = 'Workflows';
const handlerParams = z.strictObject({ handler_id: idParameter });

const newHandler = schemaFor<Omit<NewFailureHandler, 'actor'>>()(
  z
    .strictObject({
      name: z.string().min(1).max(500),
      rules: z
        .string()
        .min(2)
        .max(1_000_000)
        .describe('JSON of the list of rules, as a spec would have them.'),
      jobs: z.array(jobInBody).max(100_000).exactOptional().describe('Jobs that have it from now on.'),
    })
    .meta({ id: 'NewFailureHandler' }),
);

const addedEvent = schemaFor<Omit<AddedEvent, 'actor'>>()(
  z
    .strictObject({
      type: z.enum(['agent', 'note']),
      reason: reason.min(1),
      data: z.record(z.string(), z.unknown()),
    })
    .meta({ id: 'AddedEvent' }),
);

export const workflowEndpoints = {
  createWorkflow: endpoint({
    method: 'POST',
    path: '/api/v1/workflows',
    role: 'operator',
    tag,
    summary: 'Checks a spec and stores it as a new workflow, for the workers of the server.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    headers: [
      {
        name: 'Idempotency-Key',
        description: 'The same key with the same workflow gives the workflow that there is.',
      },
    ],
    body: newWorkflow,
    answer: created(workflowRecord),
  }),
  listWorkflows: endpoint({
    method: 'GET',
    path: '/api/v1/workflows',
    role: 'viewer',
    tag,
    summary: 'Lists workflows, newest first.',
    params: NO_PARAMETERS,
    query: z.strictObject(pageQuery),
    body: null,
    answer: json(page(workflowRecord)),
  }),
  getWorkflow: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}',
    role: 'viewer',
    tag,
    summary: 'Gives one workflow.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(workflowRecord),
  }),
  status: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/status',
    role: 'viewer',
    tag,
    summary: 'Tells how a workflow stands: counts, what runs, what waits, what failed.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(workflowStatus),
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/cancel',
    role: 'operator',
    tag,
    summary: 'Cancels jobs, or all that have not ended.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: cancelRequest,
    answer: json(cancelResult),
  }),
  resetStatus: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/reset-status',
    role: 'operator',
    tag,
    summary: 'Begins a new run in which jobs start over.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: resetRequest,
    answer: json(resetResult),
  }),
  addEvent: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/events',
    role: 'operator',
    tag,
    summary: 'Writes a note to the audit trail.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: addedEvent,
    answer: NOTHING,
  }),
  createFailureHandler: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/failure_handlers',
    role: 'operator',
    tag,
    summary: 'Adds a failure handler to a workflow.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: newHandler,
    answer: created(failureHandlerRecord),
  }),
  listFailureHandlers: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/failure_handlers',
    role: 'viewer',
    tag,
    summary: 'Lists the failure handlers of a workflow.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(z.array(failureHandlerRecord)),
  }),
  getFailureHandler: endpoint({
    method: 'GET',
    path: '/api/v1/failure_handlers/{handler_id}',
    aliases: ['/failure_handlers/{handler_id}'],
    role: 'viewer',
    tag,
    summary: 'Gives one failure handler.',
    params: handlerParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(failureHandlerRecord),
  }),
  deleteFailureHandler: endpoint({
    method: 'DELETE',
    path: '/api/v1/failure_handlers/{handler_id}',
    role: 'operator',
    tag,
    summary: 'Removes a failure handler; jobs that had it have none.',
    params: handlerParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(failureHandlerRecord),
  }),
  listFiles: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/files',
    role: 'viewer',
    tag,
    summary: 'Lists the files that jobs declare, by path.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(z.array(fileRecord)),
  }),
  listUserData: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/user_data',
    role: 'viewer',
    tag,
    summary: 'Lists the values that jobs pass to each other.',
    params: workflowParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(z.array(userDataRecord)),
  }),
  setUserData: endpoint({
    method: 'PUT',
    path: '/api/v1/workflows/{workflow_id}/user_data/{name}',
    role: 'operator',
    tag,
    summary: 'Sets one of these values.',
    params: z.strictObject({ workflow_id: idParameter, name: z.string().min(1).max(1000) }),
    query: NO_PARAMETERS,
    body: z
      .strictObject({ data: z.unknown().describe('Any JSON; null: no value.') })
      .meta({ id: 'UserDataChange' }),
    answer: json(userDataRecord),
  }),
};
