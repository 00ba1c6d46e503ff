import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from '../../api/endpoint.ts';
import type { EndpointId, endpoints } from '../../api/endpoints.ts';
import type { Caller } from '../auth/caller.ts';

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
export type Handlers<K extends EndpointId = EndpointId> = { [I in K]: Handler<Endpoints[I]> };
