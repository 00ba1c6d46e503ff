import type { Engine } from '../../contract/engine.ts';
import { roomAfter, roomIn } from '../../contract/operations/worker-room.ts';
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
      const answer = await engine.exchange(worker_id, body);
      news.exchanged(worker_id, roomAfter(body, answer), answer.claims.length > 0);
      // Workers are woken for what becomes due, as many as it takes. One that is bound to a workflow looks by itself.
      const result = body.workflow_id === undefined ? { ...answer, next_due_at_ms: null } : answer;
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
    news: async ({ params, query: { timeout_ms = DEFAULT_WAIT_MS, ...room }, signal }) => ({
      news: await news.wait(params.worker_id, timeout_ms, signal, roomIn(room)),
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
