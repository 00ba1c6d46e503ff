import { z } from 'zod';
import { endpoint, json } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { flagParameter, idParameter, jobParameter, listOf, pageQuery, wholeNumber } from '../parameters.ts';
import {
  attemptSchema,
  eventSchema,
  explanation,
  jobDetailsSchema,
  jobSchema,
} from '../schemas/job-records.ts';
import { workflowGraph } from '../schemas/pages/graph.ts';
import { jobTimeline } from '../schemas/pages/timeline.ts';
import { resourceChange, resourceChangeResult, utilization } from '../schemas/resolution.ts';
import { id, jobStatus, page, reason } from '../schemas/scalars.ts';
import { attemptSamples } from '../schemas/usage-samples.ts';
import { retryJobsRequest, retryJobsResult } from './selection-bodies.ts';

const tag = 'Jobs';
const statusQuery = listOf(jobStatus).exactOptional().describe('One or more, with commas.');
const oneJob = jobParameter.exactOptional();
const MOST_RUNS = 20;
const MOST_TIMELINES = 200;

/** Which jobs of a workflow a list has. */
const jobFilter = {
  status: statusQuery,
  name: z
    .string()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe(
      'Part of the name, or with `*` or `?` a pattern for all of the label, such as `sim_*`; in any case.',
    ),
  group: z.string().min(1).max(2000).exactOptional().describe('Jobs of a group of the graph, by its label.'),
};

/** A job in the words of programs that know only these. */
const briefJob = z
  .object({ id, workflow_id: id, name: z.string(), status: jobStatus, attempt_id: z.int() })
  .meta({ id: 'BriefJob' });

export const jobEndpoints = {
  listJobs: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs',
    role: 'viewer',
    tag,
    summary: 'Lists the jobs of a workflow.',
    query: z.strictObject({
      ...pageQuery,
      ...jobFilter,
      sort: z.enum(['id', '-id', 'name', '-name']).exactOptional().describe('(default: `id`); `-` descends.'),
    }),
    answer: json(page(jobSchema)),
  }),
  graph: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/graph',
    role: 'viewer',
    tag,
    summary: 'Returns the jobs of a workflow in groups by name, with their counts and what they wait for.',
    answer: json(workflowGraph),
  }),
  listTimelines: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/timelines',
    role: 'viewer',
    tag,
    summary: 'Lists jobs with the times of their attempts.',
    query: z.strictObject({
      ...pageQuery,
      limit: wholeNumber(1, MOST_TIMELINES).exactOptional().describe('(default: 100)'),
      ...jobFilter,
      runs: wholeNumber(1, MOST_RUNS)
        .exactOptional()
        .describe('Attempts of so many newest runs (default: 1).'),
    }),
    answer: json(page(jobTimeline)),
  }),
  listAllJobs: endpoint({
    method: 'GET',
    path: '/api/v1/jobs',
    aliases: ['/jobs'],
    role: 'viewer',
    tag,
    summary: 'Lists the jobs of all workflows, or of one, by their numbers.',
    query: z.strictObject({ ...pageQuery, status: statusQuery, workflow_id: idParameter.exactOptional() }),
    answer: json(page(jobSchema)),
  }),
  getJob: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}',
    role: 'viewer',
    tag,
    summary: 'Gives one job of a workflow with its configuration.',
    answer: json(jobDetailsSchema),
  }),
  findJob: operation({
    method: 'GET',
    path: '/api/v1/jobs/{job_id}',
    role: 'viewer',
    tag,
    summary: 'Gives one job of any workflow by its number.',
    answer: json(jobDetailsSchema),
  }),
  decideJob: endpoint({
    method: 'PUT',
    path: '/api/v1/jobs/{job_id}',
    aliases: ['/jobs/{job_id}'],
    role: 'operator',
    tag,
    summary: 'Decides a job that waits for a decision: `ready` retries it, `failed` gives it up.',
    body: z
      .strictObject({ status: z.enum(['ready', 'failed']), reason: reason.exactOptional() })
      .meta({ id: 'JobDecision' }),
    answer: json(jobSchema),
  }),
  retryJobInRun: endpoint({
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/retry/{run_id}',
    aliases: ['/jobs/{job_id}/retry/{run_id}'],
    role: 'operator',
    tag,
    summary:
      'Retries a running, failed or terminated job, if it has had fewer attempts than `max_retries` in this run.',
    query: z.strictObject({ max_retries: wholeNumber(0, 1_000_000), reason: reason.exactOptional() }),
    answer: json(
      briefJob.describe(
        'The job is `ready`, with its next attempt. A running job stays `running` until its attempt has been ended.',
      ),
    ),
  }),
  retryJob: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/retry',
    role: 'operator',
    tag,
    summary: 'Retries a failed or terminated job in the same run; ends the attempt of a running job first.',
    body: z
      .strictObject({
        max_retries: z.int().min(0).exactOptional(),
        run_id: id.exactOptional(),
        reason: reason.exactOptional(),
      })
      .meta({ id: 'RetryRequest' }),
    answer: json(jobDetailsSchema),
  }),
  retryJobs: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/retry',
    role: 'operator',
    tag,
    summary:
      'Retries the selected jobs, all or none; with `from`, starts over from these jobs, which may have completed.',
    body: retryJobsRequest,
    answer: json(retryJobsResult),
  }),
  changeResources: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/resources',
    role: 'operator',
    tag,
    summary: 'Changes what the next attempts of a job may use.',
    body: resourceChange,
    answer: json(resourceChangeResult),
  }),
  explain: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/explain',
    role: 'viewer',
    tag,
    summary: 'Explains why a job is where it is, which rule decided each attempt, and what comes next.',
    answer: json(explanation),
  }),
  listAttempts: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/attempts',
    role: 'viewer',
    tag,
    summary: 'Lists attempts, oldest first.',
    query: z.strictObject({ ...pageQuery, job: oneJob, run_id: idParameter.exactOptional() }),
    answer: json(page(attemptSchema)),
  }),
  listEvents: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/events',
    role: 'viewer',
    tag,
    summary: 'Lists the audit trail, oldest first.',
    query: z.strictObject({
      ...pageQuery,
      job: oneJob,
      type: listOf(eventSchema.shape.type)
        .exactOptional()
        .describe('Only events of these types, with commas.'),
      sort: z.enum(['id', '-id']).exactOptional().describe('(default: `id`); `-id`: newest first.'),
    }),
    answer: json(page(eventSchema)),
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/events/stream',
    role: 'viewer',
    tag,
    summary: 'Sends the audit trail as it is written, as server-sent events.',
    query: z.strictObject({
      after: wholeNumber(0)
        .exactOptional()
        .describe('Only events after this one; Last-Event-ID goes before it.'),
      job: oneJob,
    }),
    headers: [
      {
        name: 'Last-Event-ID',
        description: 'The last event that arrived; the stream continues after it.',
        schema: { pattern: '^\\d{1,15}$' },
      },
    ],
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
    query: z.strictObject({
      run_id: idParameter.exactOptional().describe('(default: the current run)'),
      attempt_id: idParameter.exactOptional().describe('(default: the newest)'),
      offset: wholeNumber(Number.MIN_SAFE_INTEGER)
        .exactOptional()
        .describe('First byte; negative: so many before the end.'),
      limit: wholeNumber(1, 1024 * 1024)
        .exactOptional()
        .describe('Gives one piece of at most so many bytes, rather than all.'),
      live: flagParameter
        .exactOptional()
        .describe('You will ask again: has the worker send what is new meanwhile. Gives one piece.'),
      follow: flagParameter.exactOptional().describe('Continues until the attempt has ended.'),
    }),
    headers: [
      {
        name: 'Range',
        description: 'One range of bytes, as `bytes=0-1023`; anything else gives the whole.',
        schema: {},
      },
    ],
    answer: {
      kind: 'stream',
      type: 'application/octet-stream',
      ranges: true,
      description:
        'The bytes. Headers describe them: Holdfast-Run-Id, Holdfast-Attempt-Id, Holdfast-Log-Offset (of the first byte: later than asked for if the beginning is not kept), Holdfast-Log-Size, Holdfast-Log-Ended.',
    },
  }),
  samples: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/jobs/{job}/samples',
    role: 'viewer',
    tag,
    summary: 'Returns what an attempt used over time, where the workflow keeps samples.',
    query: z.strictObject({
      run_id: idParameter.exactOptional().describe('Default: the current run.'),
      attempt_id: idParameter.exactOptional().describe('Default: the newest attempt.'),
    }),
    answer: json(attemptSamples),
  }),
  utilization: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/utilization',
    role: 'viewer',
    tag,
    summary: 'Compares what jobs asked for with what their attempts used.',
    query: z.strictObject(pageQuery),
    answer: json(page(utilization)),
  }),
};
