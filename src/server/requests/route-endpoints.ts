import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  ENDPOINTS,
  type EndpointId,
  type OperationId,
  type OperationMethods,
} from '../../contract/endpoints.ts';
import type { Operation } from '../../contract/operation.ts';
import { actorOf } from '../auth/actor-of.ts';
import type { Teams } from '../auth/teams.ts';
import { withRights } from '../auth/with-rights.ts';
import { type Call, type Handler, type OwnHandlers, operationHandler } from '../handlers/handler.ts';
import type { RecordMask } from '../mask/mask-records.ts';
import type { LongAnswers } from './long-answers.ts';
import { readRequest } from './read-request.ts';

/** What the answers of these hold is for workers, who run the jobs. */
const FOR_WORKERS = new Set<string>(['exchange', 'resumeWorker']);

/** Reading one may take long, so it is done in a thread. */
const SUBMISSIONS = new Set<string>([
  ...['createWorkflow', 'updateWorkflow', 'createRequest'],
  ...['checkSpec', 'simulateSpec'],
]);

/** What anybody may send, who has shown no token yet. */
const STRANGERS_BODY_LIMIT = 4 * 1024;

export interface Routing {
  engine: OperationMethods;
  handlers: OwnHandlers;
  teams: Teams;
  mask: RecordMask;
  longAnswers: LongAnswers;
  /** Bytes of the largest submission that anybody may send. */
  submissionSize: number;
}

export function routeEndpoints(app: FastifyInstance, routing: Routing): void {
  const { submissionSize } = routing;
  for (const [id, endpoint] of ENDPOINTS) {
    const answer = answering(id, endpoint, routing);
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      app.route({
        method: endpoint.method,
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        config: {
          role: endpoint.role,
          endpoint: id,
          byWorker: endpoint.byWorker === true,
          unread: SUBMISSIONS.has(id),
        },
        ...(SUBMISSIONS.has(id) && { bodyLimit: submissionSize }),
        ...(endpoint.role === null && { bodyLimit: STRANGERS_BODY_LIMIT }),
        handler: answer,
      });
    }
  }
}

function answering(id: EndpointId, endpoint: Endpoint, routing: Routing) {
  const { engine, handlers, teams, mask, longAnswers } = routing;
  const handler =
    (handlers[id] as Handler<Endpoint> | undefined) ??
    operationHandler(engine, id as OperationId, endpoint as Operation);
  const isMasked = endpoint.answer.kind === 'json' && !FOR_WORKERS.has(id);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const checked = readRequest(endpoint, request);
    await teams.admit(request.caller, id, checked);
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
    const { workflow_id } = checked.params as { workflow_id?: number };
    // What is deleted has no secrets to read afterwards.
    if (isMasked && id === 'deleteWorkflow') await mask.secretsOf(workflow_id!);
    const answer = await handler(call);
    if (endpoint.answer.kind === 'none') return reply.code(204).send();
    if (endpoint.answer.kind === 'stream') return answer;
    const shown = isMasked ? await mask.answer(workflow_id, withRights(request.caller, answer)) : answer;
    return reply
      .code(endpoint.answer.status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(shown));
  };
}
