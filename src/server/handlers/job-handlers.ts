import type { Engine } from '../../contract/engine.ts';
import type { Access } from '../auth/access.ts';
import { readerOf, type Teams } from '../auth/teams.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { MaskedLogs } from '../mask/log-reader.ts';
import type { RecordMask } from '../mask/mask-records.ts';
import type { Metrics } from '../metrics.ts';
import type { StreamLimit } from '../stream-limit.ts';
import type { Call, Handlers } from './handler.ts';
import { listAllJobs } from './list-all-jobs.ts';
import { readLog } from './read-log.ts';
import { streamEvents } from './stream-events.ts';

interface Parts {
  engine: Engine;
  access: Access;
  teams: Teams;
  mask: RecordMask;
  logs: MaskedLogs;
  changes: ChangeFeed;
  metrics: Metrics;
  streams: StreamLimit;
}

type Own = 'listAllJobs' | 'decideJob' | 'retryJobInRun' | 'streamEvents' | 'readLog';

export function jobHandlers(parts: Parts): Handlers<Own> {
  const { engine, access, teams, mask, logs, changes, metrics, streams } = parts;
  const isStillValid = async ({
    request,
    caller,
    params,
  }: Pick<Call, 'request' | 'caller'> & { params: { workflow_id: number } }) =>
    (await access.isStillValid(request)) && (await teams.mayStillRead(caller, params.workflow_id));
  return {
    listAllJobs: ({ query, caller }) => listAllJobs(engine, query, readerOf(caller)),
    decideJob: async ({ params: { job_id }, body: { status, reason }, actor }) => {
      const { workflow_id } = await engine.findJob(job_id);
      const action = status === 'ready' ? 'retry' : 'fail';
      const decision = { job_id, action, ...(reason !== undefined && { reason }) } as const;
      await engine.resolve(workflow_id, { decisions: [decision], actor });
      const { config: _, requirement: __, depends_on: ___, ...job } = await engine.findJob(job_id);
      return job;
    },
    retryJobInRun: async ({ params: { job_id, run_id }, query, actor }) => {
      const { workflow_id } = await engine.findJob(job_id);
      const job = await engine.retryJob(workflow_id, job_id, { run_id, ...query, actor });
      const { id, name, status, attempt_id } = job;
      return { id, workflow_id, name, status, attempt_id };
    },
    streamEvents: async (call) => {
      const stream = await streams.counted(call.request, () =>
        streamEvents({ engine, mask, changes, isStillValid: () => isStillValid(call) }, call),
      );
      metrics.eventStreams.inc();
      stream.once('close', () => metrics.eventStreams.dec());
      return stream;
    },
    readLog: (call) => {
      const read = () => readLog({ logs, changes, isStillValid: () => isStillValid(call) }, call);
      return call.query.follow === true ? streams.counted(call.request, read) : read();
    },
  };
}
