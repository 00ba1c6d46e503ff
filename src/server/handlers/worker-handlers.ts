import type { Engine } from '../../contract/engine.ts';
import { WORKER_SECRET } from '../../contract/request-headers.ts';
import type { NewsDesk } from '../news-desk.ts';
import type { Handlers } from './handler.ts';

const DEFAULT_WAIT_MS = 20_000;

type Own = 'registerWorker' | 'resumeWorker' | 'exchange' | 'news' | 'putLogs' | 'adopt' | 'retireWorker';

export function workerHandlers(engine: Engine, news: NewsDesk): Handlers<Own> {
  return {
    registerWorker: ({ body, actor }) => engine.registerWorker(body, actor),
    resumeWorker: ({ params, body, actor, request }) => {
      const secret = String(request.headers[WORKER_SECRET]);
      return engine.resumeWorker({ id: params.worker_id, secret }, body, actor);
    },
    exchange: async ({ params: { worker_id }, body, request }) => {
      const result = await engine.exchange(worker_id, body);
      if (result.claims.length > 0) news.gotWork(worker_id);
      if (result.claims.length + body.finished.length + result.rejected.length > 0) {
        request.log.info(
          {
            worker_id,
            claims: result.claims.map(({ workflow_id, job_id, attempt_id, token }) => ({
              workflow_id,
              job_id,
              attempt_id,
              token,
            })),
            finished: body.finished.map(({ token }) => token),
            rejected: result.rejected,
          },
          'exchanged',
        );
      }
      return result;
    },
    news: async ({ params, query, signal }) => ({
      news: await news.wait(params.worker_id, query.timeout_ms ?? DEFAULT_WAIT_MS, signal),
    }),
    putLogs: async ({ params, body }) => {
      const parts = body.parts.map((part) => ({ ...part, data: Buffer.from(part.data, 'base64') }));
      await engine.putLogs(params.worker_id, parts);
      return undefined;
    },
    adopt: ({ params, body }) => engine.adopt(body.workflow_id, params.worker_id),
    retireWorker: async ({ params, actor }) => {
      await engine.retireWorker(params.worker_id, actor);
      return undefined;
    },
  };
}
