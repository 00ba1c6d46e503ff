import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from '../../contract/endpoint.ts';
import type { EndpointId, endpoints, OperationId, OperationMethods } from '../../contract/endpoints.ts';
import { argumentsFor, type Operation } from '../../contract/operation.ts';
import type { Caller } from '../auth/caller.ts';
import { readerOf } from '../auth/teams.ts';

/** A request that has passed every check. */
export interface Call<E extends Endpoint = Endpoint> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Who the change is written down for. */
  actor: string;
  caller: Caller | null;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Ends when the client is gone or the server stops. */
  signal: AbortSignal;
}

/** What is answered: the record, or for other answers what Fastify sends. */
type Answered<E extends Endpoint> = E['answer'] extends { kind: 'stream' } ? unknown : AnswerOf<E>;

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Answered<E>> | Answered<E>;

type Endpoints = typeof endpoints;
export type Handlers<K extends EndpointId> = { [I in K]: Handler<Endpoints[I]> };
/** An operation needs none of its own unless there is more to do than to call the engine. */
export type OwnHandlers = Handlers<Exclude<EndpointId, OperationId>> & Partial<Handlers<OperationId>>;

/** Calls the engine's method of the same name. */
export function operationHandler(
  engine: OperationMethods,
  id: OperationId,
  operation: Operation,
): Handler<Endpoint> {
  return ({ params, query, body, actor, caller }) => {
    const reader = readerOf(caller);
    const method = engine[id] as (...given: unknown[]) => Promise<undefined>;
    const asked = reader === undefined ? query : { ...(query as object), reader };
    const request = { params, query: asked, body: (body ?? {}) as Record<string, unknown>, actor };
    return method(...argumentsFor(operation, request));
  };
}
