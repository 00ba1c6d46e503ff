import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../api/endpoint.ts';
import { ENDPOINTS } from '../api/endpoints.ts';
import { actorOf } from './auth/actor-of.ts';
import type { Call, Handler, Handlers } from './handlers/handler.ts';
import type { LongAnswers } from './long-answers.ts';
import type { RecordMask } from './mask-records.ts';
import { readRequest } from './read-request.ts';

/** What the answers of these hold is for workers, who run the jobs. */
const FOR_WORKERS = new Set<string>(['exchange', 'resumeWorker']);

/** What anybody may send, who has shown no token yet. */
const STRANGERS_BODY_LIMIT = 4 * 1024;

export interface Routing {
  handlers: Handlers;
  mask: RecordMask;
  longAnswers: LongAnswers;
}

export function routeEndpoints(app: FastifyInstance, routing: Routing): void {
  for (const [id, endpoint] of ENDPOINTS) {
    const answer = answering(id, endpoint, routing);
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      app.route({
        method: endpoint.method,
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        config: { role: endpoint.role, endpoint: id },
        ...(endpoint.role === null && { bodyLimit: STRANGERS_BODY_LIMIT }),
        handler: answer,
      });
    }
  }
}

function answering(id: string, endpoint: Endpoint, { handlers, mask, longAnswers }: Routing) {
  const handler = handlers[id as keyof Handlers] as Handler<Endpoint>;
  const isMasked = endpoint.answer.kind === 'json' && !FOR_WORKERS.has(id);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const checked = readRequest(endpoint, request);
    const call = {
      ...checked,
      actor: actorOf(request, request.caller),
      caller: request.caller,
      request,
      reply,
      // Few ask for it.
      get signal() {
        return longAnswers.signalFor(reply);
      },
    } as Call;
    const answer = await handler(call);
    if (endpoint.answer.kind === 'none') return reply.code(204).send();
    if (endpoint.answer.kind === 'stream') return answer;
    const { workflow_id } = checked.params as { workflow_id?: number };
    const told = isMasked ? await mask.answer(workflow_id, answer) : answer;
    return reply
      .code(endpoint.answer.status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(told));
  };
}
