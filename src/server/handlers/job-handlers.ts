import type { jobEndpoints } from '../../api/endpoints/job-endpoints.ts';
import type { Engine } from '../../core/engine.ts';
import type { Access } from '../auth/access.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { LogReader } from '../log-reader.ts';
import type { RecordMask } from '../mask-records.ts';
import type { Metrics } from '../metrics.ts';
import type { Handlers } from './handler.ts';
import { listAllJobs } from './list-all-jobs.ts';
import { readLog } from './read-log.ts';
import { streamEvents } from './stream-events.ts';

interface Parts {
  engine: Engine;
  access: Access;
  mask: RecordMask;
  logs: LogReader;
  changes: ChangeFeed;
  metrics: Metrics;
}

export function jobHandlers(parts: Parts): Handlers<keyof typeof jobEndpoints> {
  const { engine, access, mask, logs, changes, metrics } = parts;
  return {
    listJobs: ({ params, query: { status, ...query } }) =>
      engine.listJobs(params.workflow_id, { ...query, ...(status && { statuses: status }) }),
    listAllJobs: ({ query }) => listAllJobs(engine, query),
    getJob: ({ params }) => engine.getJob(params.workflow_id, params.job),
    findJob: ({ params }) => engine.findJob(params.job_id),
    decideJob: async ({ params: { job_id }, body: { status, reason }, actor }) => {
      const { workflow_id } = await engine.findJob(job_id);
      const action = status === 'ready' ? 'retry' : 'fail';
      const decision = { job_id, action, ...(reason !== undefined && { reason }) } as const;
      await engine.resolve(workflow_id, { decisions: [decision], actor });
      const { config: _, requirement: __, depends_on: ___, ...job } = await engine.findJob(job_id);
      return job;
    },
    retryJobInRun: async ({ params: { job_id, run_id }, query: { max_retries }, actor }) => {
      const { workflow_id } = await engine.findJob(job_id);
      const job = await engine.retryJob(workflow_id, job_id, { run_id, max_retries, actor });
      const { id, name, status, attempt_id } = job;
      return { id, workflow_id, name, status, attempt_id: attempt_id + 1 };
    },
    retryJob: ({ params, body, actor }) =>
      engine.retryJob(params.workflow_id, params.job, { ...body, actor }),
    changeResources: ({ params, body, actor }) =>
      engine.changeResources(params.workflow_id, params.job, { ...body, actor }),
    explain: ({ params }) => engine.explain(params.workflow_id, params.job),
    listAttempts: ({ params, query }) => engine.listAttempts(params.workflow_id, query),
    listEvents: ({ params, query }) => engine.listEvents(params.workflow_id, query),
    streamEvents: async (call) => {
      const isStillValid = () => access.isStillValid(call.request);
      const stream = await streamEvents({ engine, mask, changes, isStillValid }, call);
      metrics.eventStreams.inc();
      stream.once('close', () => metrics.eventStreams.dec());
      return stream;
    },
    readLog: (call) =>
      readLog({ logs, changes, isStillValid: () => access.isStillValid(call.request) }, call),
    utilization: ({ params, query }) => engine.utilization(params.workflow_id, query),
  };
}
