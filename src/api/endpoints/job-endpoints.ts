import { z } from 'zod';
import { JOB_SORTS } from '../../core/engine.ts';
import { LOG_STREAMS } from '../../core/log-access.ts';
import { endpoint, json } from '../endpoint.ts';
import {
  flagParameter,
  idParameter,
  jobParameter,
  jobParams,
  listOf,
  NO_PARAMETERS,
  pageQuery,
  wholeNumber,
  workflowParams,
} from '../parameters.ts';
import { attemptRecord, eventRecord, explanation, jobDetails, jobRecord } from '../schemas/job-records.ts';
import { resourceChange, resourceChangeResult, utilization } from '../schemas/resolution.ts';
import { id, jobStatus, page, reason } from '../schemas/scalars.ts';

const tag = 'Jobs';
const jobIdParams = z.strictObject({ job_id: idParameter });
const statusQuery = listOf(jobStatus).exactOptional().describe('One or more, with commas.');
const oneJob = jobParameter.exactOptional();

/** A job in the words of programs that know only these. */
const briefJob = z
  .object({ id, workflow_id: id, name: z.string(), status: jobStatus, attempt_id: z.int() })
  .meta({ id: 'BriefJob' });

export const jobEndpoints = {
  listJobs: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs',
    role: 'viewer',
    tag,
    summary: 'Lists the jobs of a workflow.',
    params: workflowParams,
    query: z.strictObject({
      ...pageQuery,
      status: statusQuery,
      name: z.string().min(1).max(1000).exactOptional().describe('Part of the name.'),
      sort: z.enum(JOB_SORTS).exactOptional().describe('`id` unless told; `-` descends.'),
    }),
    body: null,
    answer: json(page(jobRecord)),
  }),
  listAllJobs: endpoint({
    method: 'GET',
    path: '/api/v1/jobs',
    aliases: ['/jobs'],
    role: 'viewer',
    tag,
    summary: 'Lists the jobs of all workflows, or of one, by their numbers.',
    params: NO_PARAMETERS,
    query: z.strictObject({ ...pageQuery, status: statusQuery, workflow_id: idParameter.exactOptional() }),
    body: null,
    answer: json(page(jobRecord)),
  }),
  getJob: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}',
    role: 'viewer',
    tag,
    summary: 'Gives one job of a workflow with its configuration.',
    params: jobParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(jobDetails),
  }),
  findJob: endpoint({
    method: 'GET',
    path: '/api/v1/jobs/{job_id}',
    role: 'viewer',
    tag,
    summary: 'Gives one job of any workflow by its number.',
    params: jobIdParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(jobDetails),
  }),
  decideJob: endpoint({
    method: 'PUT',
    path: '/api/v1/jobs/{job_id}',
    aliases: ['/jobs/{job_id}'],
    role: 'operator',
    tag,
    summary: 'Decides about a job that waits for it: `ready` tries it again, `failed` gives it up.',
    params: jobIdParams,
    query: NO_PARAMETERS,
    body: z
      .strictObject({ status: z.enum(['ready', 'failed']), reason: reason.exactOptional() })
      .meta({ id: 'JobDecision' }),
    answer: json(jobRecord),
  }),
  retryJobInRun: endpoint({
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/retry/{run_id}',
    aliases: ['/jobs/{job_id}/retry/{run_id}'],
    role: 'operator',
    tag,
    summary: 'Runs a job once more, if it has had fewer attempts than `max_retries` in this run.',
    params: z.strictObject({ job_id: idParameter, run_id: idParameter }),
    query: z.strictObject({ max_retries: wholeNumber(0, 1_000_000) }),
    body: null,
    answer: json(briefJob.describe('`attempt_id` is the attempt that comes.')),
  }),
  retryJob: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/retry',
    role: 'operator',
    tag,
    summary: 'Runs a job that ended without success once more, in the same run.',
    params: jobParams,
    query: NO_PARAMETERS,
    body: z
      .strictObject({ max_retries: z.int().min(0).exactOptional(), run_id: id.exactOptional() })
      .meta({ id: 'RetryRequest' }),
    answer: json(jobDetails),
  }),
  changeResources: endpoint({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/resources',
    role: 'operator',
    tag,
    summary: 'Changes what the next attempts of a job may use.',
    params: jobParams,
    query: NO_PARAMETERS,
    body: resourceChange,
    answer: json(resourceChangeResult),
  }),
  explain: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/explain',
    role: 'viewer',
    tag,
    summary: 'Tells why a job is where it is, which rule decided each attempt, and what comes next.',
    params: jobParams,
    query: NO_PARAMETERS,
    body: null,
    answer: json(explanation),
  }),
  listAttempts: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/attempts',
    role: 'viewer',
    tag,
    summary: 'Lists attempts, oldest first.',
    params: workflowParams,
    query: z.strictObject({ ...pageQuery, job: oneJob, run_id: idParameter.exactOptional() }),
    body: null,
    answer: json(page(attemptRecord)),
  }),
  listEvents: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/events',
    role: 'viewer',
    tag,
    summary: 'Lists the audit trail, oldest first.',
    params: workflowParams,
    query: z.strictObject({ ...pageQuery, job: oneJob }),
    body: null,
    answer: json(page(eventRecord)),
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/events/stream',
    role: 'viewer',
    tag,
    summary: 'Sends the audit trail as it is written, as server-sent events.',
    params: workflowParams,
    query: z.strictObject({
      after: wholeNumber(0)
        .exactOptional()
        .describe('Only events after this one; Last-Event-ID goes before it.'),
      job: oneJob,
    }),
    headers: [
      { name: 'Last-Event-ID', description: 'The last event that arrived; the stream goes on after it.' },
    ],
    body: null,
    answer: {
      kind: 'stream',
      type: 'text/event-stream',
      description:
        'Each event has the number of the record as `id`, its type as `event`, and the record as `data`.',
    },
  }),
  readLog: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/logs/{stream}',
    role: 'viewer',
    tag,
    summary: 'Gives what an attempt wrote, as far as the server has it.',
    params: jobParams.extend({ stream: z.enum(LOG_STREAMS) }),
    query: z.strictObject({
      run_id: idParameter.exactOptional().describe('The current run unless told.'),
      attempt_id: idParameter.exactOptional().describe('The newest unless told.'),
      offset: wholeNumber(Number.MIN_SAFE_INTEGER)
        .exactOptional()
        .describe('First byte; negative: so many before the end.'),
      limit: wholeNumber(1, 1024 * 1024)
        .exactOptional()
        .describe('Gives one piece of at most so many bytes, rather than all.'),
      live: flagParameter
        .exactOptional()
        .describe('You will ask again: has the worker send what is new meanwhile. Gives one piece.'),
      follow: flagParameter.exactOptional().describe('Goes on sending until the attempt has ended.'),
    }),
    headers: [{ name: 'Range', description: 'One range of bytes, as `bytes=0-1023`.' }],
    body: null,
    answer: {
      kind: 'stream',
      type: 'application/octet-stream',
      ranges: true,
      description:
        'The bytes. Headers tell what they are: Holdfast-Run-Id, Holdfast-Attempt-Id, Holdfast-Log-Offset (of the first byte: later than asked for if the beginning is not kept), Holdfast-Log-Size, Holdfast-Log-Ended.',
    },
  }),
  utilization: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/utilization',
    role: 'viewer',
    tag,
    summary: 'Compares what jobs asked for with what their attempts used.',
    params: workflowParams,
    query: z.strictObject(pageQuery),
    body: null,
    answer: json(page(utilization)),
  }),
};
