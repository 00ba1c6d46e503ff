import { z } from 'zod';
import { created, endpoint, json, NOTHING } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { flagParameter, pageQuery } from '../parameters.ts';
import { jobMarks, reinitializeRequest, reinitializeResult } from '../schemas/file-marks.ts';
import { newWorkflowSchema, targets } from '../schemas/new-workflow.ts';
import { simulation, simulationRequest } from '../schemas/pages/simulation.ts';
import { specCheck, specCheckRequest } from '../schemas/pages/spec-check.ts';
import { updateRequest, updateResult } from '../schemas/rerun/update.ts';
import { jobInBody, page, reason } from '../schemas/scalars.ts';
import {
  createdWorkflow,
  failureHandlerRecord,
  fileRecord,
  runSettings,
  userDataRecord,
  workflowSchema,
  workflowStatus,
} from '../schemas/workflow-records.ts';
import { cancelRequest, cancelResult, resetRequest, resetResult } from './selection-bodies.ts';

const tag = 'Workflows';
const MOST_NOTE_BYTES = 64 * 1024;

function sizeOf(data: unknown): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

const newHandler = z
  .strictObject({
    name: z.string().min(1).max(500),
    rules: z.string().min(2).max(65_536).describe('JSON of the list of rules, as a spec would have them.'),
    jobs: z.array(jobInBody).max(100_000).exactOptional().describe('Jobs that have it from now on.'),
  })
  .meta({ id: 'NewFailureHandler' });

const pauseRequest = z.strictObject({ reason: reason.exactOptional() }).meta({ id: 'PauseRequest' });

const untilRequest = z
  .strictObject({ until: targets.nullable().describe('null: the run ends when everything has ended.') })
  .meta({ id: 'UntilRequest' });

const addedEvent = z
  .strictObject({
    type: z.enum(['agent', 'note']),
    reason: reason.min(1),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        `Of a note at most ${MOST_NOTE_BYTES} bytes of JSON; of an agent it is cut where it is longer.`,
      ),
  })
  .refine(({ type, data }) => type !== 'note' || sizeOf(data) <= MOST_NOTE_BYTES, {
    path: ['data'],
    error: `must be at most ${MOST_NOTE_BYTES} bytes of JSON`,
  })
  .meta({ id: 'AddedEvent' });

export const workflowEndpoints = {
  createWorkflow: endpoint({
    method: 'POST',
    path: '/api/v1/workflows',
    // Requests with the same idempotency key store one workflow.
    repeatable: true,
    role: 'operator',
    tag,
    summary: 'Checks a spec and stores it as a new workflow, for the workers of the server.',
    headers: [
      {
        name: 'Idempotency-Key',
        description: 'The same key with the same workflow gives the workflow that there is.',
        schema: { pattern: '^[\\x20-\\x7e]+$', minLength: 1, maxLength: 255 },
      },
    ],
    body: newWorkflowSchema,
    answer: created(createdWorkflow),
  }),
  checkSpec: endpoint({
    method: 'POST',
    path: '/api/v1/specs/check',
    repeatable: true,
    role: 'operator',
    tag,
    summary: 'Checks a spec as `validate` does and returns its plan; stores nothing.',
    body: specCheckRequest,
    answer: json(specCheck),
  }),
  simulateSpec: endpoint({
    method: 'POST',
    path: '/api/v1/specs/simulate',
    repeatable: true,
    role: 'operator',
    tag,
    summary:
      'Shows what the policy of one job does about given outcomes, as `simulate` does; runs and stores nothing.',
    body: simulationRequest,
    answer: json(simulation),
  }),
  listWorkflows: operation({
    method: 'GET',
    path: '/api/v1/workflows',
    role: 'viewer',
    tag,
    summary: 'Lists workflows, newest first.',
    query: z.strictObject({
      ...pageQuery,
      archived: flagParameter.exactOptional().describe('Archived ones instead of the others.'),
    }),
    answer: json(page(workflowSchema)),
  }),
  getWorkflow: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}',
    role: 'viewer',
    tag,
    summary: 'Gives one workflow.',
    answer: json(workflowSchema),
  }),
  status: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/status',
    role: 'viewer',
    tag,
    summary: 'Returns how a workflow stands: counts, what runs, what waits, what failed.',
    answer: json(workflowStatus),
  }),
  updateWorkflow: endpoint({
    method: 'PUT',
    path: '/api/v1/workflows/{workflow_id}/spec',
    role: 'operator',
    tag,
    summary: 'Applies an edited spec: what is different runs again, with all that is downstream.',
    body: updateRequest,
    answer: json(updateResult),
  }),
  cancel: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/cancel',
    role: 'operator',
    tag,
    summary: 'Cancels the selected jobs, or all that have not ended.',
    body: cancelRequest,
    answer: json(cancelResult),
  }),
  pauseWorkflow: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/pause',
    role: 'operator',
    tag,
    summary: 'Pauses a workflow: no more jobs are started, running ones finish.',
    body: pauseRequest,
    answer: json(workflowSchema),
  }),
  stopWorkflow: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/stop',
    role: 'operator',
    tag,
    summary: 'Pauses a workflow and ends what runs, free of charge; those jobs are ready again.',
    body: pauseRequest,
    answer: json(workflowSchema),
  }),
  resumeWorkflow: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/resume',
    role: 'operator',
    tag,
    summary: 'Resumes a workflow that is paused or stopped.',
    body: pauseRequest,
    answer: json(workflowSchema),
  }),
  setUntil: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/until',
    role: 'operator',
    tag,
    summary: 'Has a run end at some jobs or files; what they do not need is not started.',
    body: untilRequest,
    answer: json(workflowSchema),
  }),
  setRunSettings: operation({
    method: 'PUT',
    path: '/api/v1/workflows/{workflow_id}/run-settings',
    role: 'operator',
    tag,
    summary: 'Remembers options of a process that runs a workflow, for the next one on the same machine.',
    body: runSettings,
    answer: json(workflowSchema),
  }),
  resetStatus: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/reset-status',
    role: 'operator',
    tag,
    summary: 'Begins a new run in which the selected jobs start over, or all jobs.',
    body: resetRequest,
    answer: json(resetResult),
  }),
  reinitialize: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/reinitialize',
    role: 'operator',
    tag,
    summary: 'Begins a new run with jobs that are out of date and all that depends on them.',
    body: reinitializeRequest,
    answer: json(reinitializeResult),
  }),
  addEvent: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/events',
    role: 'operator',
    tag,
    summary: 'Writes a note to the audit trail.',
    body: addedEvent,
    answer: NOTHING,
  }),
  createFailureHandler: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/failure_handlers',
    role: 'operator',
    tag,
    summary: 'Adds a failure handler to a workflow.',
    body: newHandler,
    answer: created(failureHandlerRecord),
  }),
  listFailureHandlers: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/failure_handlers',
    role: 'viewer',
    tag,
    summary: 'Lists the failure handlers of a workflow.',
    query: z.strictObject(pageQuery),
    answer: json(page(failureHandlerRecord)),
  }),
  getFailureHandler: operation({
    method: 'GET',
    path: '/api/v1/failure_handlers/{handler_id}',
    aliases: ['/failure_handlers/{handler_id}'],
    role: 'viewer',
    tag,
    summary: 'Gives one failure handler.',
    answer: json(failureHandlerRecord),
  }),
  deleteFailureHandler: operation({
    method: 'DELETE',
    path: '/api/v1/failure_handlers/{handler_id}',
    role: 'operator',
    tag,
    summary: 'Removes a failure handler; jobs that had it have none.',
    answer: json(failureHandlerRecord),
  }),
  listFiles: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/files',
    role: 'viewer',
    tag,
    summary: 'Lists the files that jobs declare. A page has the files of as many jobs, by path.',
    query: z.strictObject(pageQuery),
    answer: json(page(fileRecord)),
  }),
  listFileMarks: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/file_marks',
    role: 'viewer',
    tag,
    summary: 'Lists sizes, times and hashes of declared files, by job.',
    query: z.strictObject(pageQuery),
    answer: json(page(jobMarks)),
  }),
  listUserData: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/user_data',
    role: 'viewer',
    tag,
    summary: 'Lists the values that jobs pass to each other.',
    query: z.strictObject(pageQuery),
    answer: json(page(userDataRecord)),
  }),
  setUserData: operation({
    method: 'PUT',
    path: '/api/v1/workflows/{workflow_id}/user_data/{name}',
    role: 'operator',
    tag,
    summary: 'Sets one of these values.',
    body: z
      .strictObject({ data: z.unknown().describe('Any JSON; null: no value.') })
      .meta({ id: 'UserDataChange' }),
    answer: json(userDataRecord),
  }),
};
