import type { z } from 'zod';
import type { By } from './by.ts';
import {
  type AnswerKind,
  type AnswerOf,
  type BodyOf,
  type Endpoint,
  endpoint,
  type Method,
  type ParameterSchema,
  type ParamListOf,
  type QueryOf,
} from './endpoint.ts';
import type { NO_PARAMETERS } from './parameters.ts';
import { namesIn } from './path-names.ts';

/**
 * An endpoint that is a method of the engine, under the same name. The method takes the parameters of the path in
 * order, and then one object: the query of a GET, or the body of a change (of a DELETE its query) together with its actor. The route and
 * handler of the server, the method of the client and the types of both are derived from the endpoint.
 */
export type Operation<
  M extends Method = Method,
  P extends string = string,
  Q extends ParameterSchema = ParameterSchema,
  B extends z.ZodType | null = z.ZodType | null,
  A extends AnswerKind = AnswerKind,
> = Endpoint<M, P, Q, B, A> & { isOperation: true };

export function operation<
  M extends Method,
  const P extends string,
  A extends AnswerKind,
  Q extends ParameterSchema = typeof NO_PARAMETERS,
  B extends z.ZodType | null = null,
>(facts: Parameters<typeof endpoint<M, P, A, Q, B>>[0]): Operation<M, P, Q, B, A> {
  return { ...endpoint<M, P, A, Q, B>(facts), isOperation: true };
}

/** The object that the method takes after the parameters of the path. */
export type RequestOf<E extends Endpoint> = E['method'] extends 'GET'
  ? QueryOf<E>
  : By<E['method'] extends 'DELETE' ? OwnQuery<E> : E['body'] extends null ? unknown : BodyOf<E>>;

/** The query of a DELETE; one that takes none has any keys as far as its type says. */
type OwnQuery<E extends Endpoint> = string extends keyof QueryOf<E> ? unknown : QueryOf<E>;

type RequestArgument<E extends Endpoint> = E['method'] extends 'GET'
  ? keyof QueryOf<E> extends never
    ? []
    : [query?: QueryOf<E>]
  : [request: RequestOf<E>];

export type MethodOf<E extends Endpoint> = (
  ...given: [...ParamListOf<E>, ...RequestArgument<E>]
) => E['answer'] extends { kind: 'none' } ? Promise<void> : Promise<AnswerOf<E>>;

/** A request as it is sent. */
export interface OperationRequest {
  params: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  actor?: string;
}

/** The request that stands for a call of the method. */
export function requestFor({ method, path, body }: Operation, given: readonly unknown[]): OperationRequest {
  const names = namesIn(path);
  const params = Object.fromEntries(names.map((name, index) => [name, given[index]]));
  const request = (given[names.length] ?? {}) as Record<string, unknown>;
  if (method === 'GET') return { params, query: request };
  const { actor, ...rest } = request as By<Record<string, unknown>>;
  if (method === 'DELETE') return { params, actor, query: rest };
  return { params, actor, ...(body !== null && { body: rest }) };
}

/** The call of the method that a request stands for. */
export function argumentsFor({ method, path }: Operation, request: Required<OperationRequest>): unknown[] {
  const { params, query, body, actor } = request;
  const values = namesIn(path).map((name) => params[name]);
  if (method === 'GET') return [...values, query];
  return [...values, { ...(method === 'DELETE' ? query : body), actor }];
}
