import { z } from 'zod';
import { NO_PARAMETERS, pathParameters } from './parameters.ts';
import { type NamesIn, namesIn } from './path-names.ts';
import type { NeededRole } from './roles.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Parameters by name, each as it is once it was read: numbers are numbers, lists are lists. */
export type ParameterSchema = z.ZodObject;

/** What an endpoint answers with, besides its errors. */
export type AnswerKind =
  /** JSON. */
  | { kind: 'json'; schema: z.ZodType; status: 200 | 201 }
  /** Nothing; status 204. */
  | { kind: 'none' }
  /** Anything else, as it comes; `ranges`: a part of it if only that is asked for. */
  | { kind: 'stream'; type: string; description: string; ranges?: true };

/** What is written down of an endpoint. */
interface Facts<
  M extends Method,
  P extends string,
  Q extends ParameterSchema,
  B extends z.ZodType | null,
  A extends AnswerKind,
> {
  method: M;
  /** With `{name}` for parameters; what each of them is follows from its name. */
  path: P;
  /** Paths that programs written for other systems know; they answer the same. */
  aliases?: readonly string[];
  /** null: no token is needed. */
  role: NeededRole | null;
  /** The request must carry the secret of the worker that its path names. */
  byWorker?: true;
  /** Asking twice does no more than asking once. So it is with every GET. */
  repeatable?: true;
  /** For the documentation: what it belongs to, and what it does in one sentence. */
  tag: string;
  summary: string;
  /** None if absent. */
  query?: Q;
  /** Request headers that it reads, besides those of every endpoint. */
  headers?: readonly RequestHeader[];
  /** None if absent. */
  body?: B;
  answer: A;
  /** Its body has what programs wrote, in which a zero byte is nothing special. */
  anyText?: true;
}

/** One request that a server answers. Server, client, documentation and tests are made from the same table. */
export interface Endpoint<
  M extends Method = Method,
  P extends string = string,
  Q extends ParameterSchema = ParameterSchema,
  B extends z.ZodType | null = z.ZodType | null,
  A extends AnswerKind = AnswerKind,
> extends Facts<M, P, Q, B, A> {
  params: ParameterSchema;
  query: Q;
  body: B;
}

export interface RequestHeader {
  name: string;
  description: string;
  /** Limits of its text, as JSON Schema has them. */
  schema: Record<string, unknown>;
}

type PathParameters = typeof pathParameters;
type ParameterOf<N> = N extends keyof PathParameters ? z.output<PathParameters[N]> : never;

export type ParamsOf<E extends Endpoint> = { [N in NamesIn<E['path']>[number]]: ParameterOf<N> };
export type ParamListOf<E extends Endpoint> = Values<NamesIn<E['path']>>;
type Values<Names> = Names extends [infer N, ...infer More] ? [ParameterOf<N>, ...Values<More>] : [];
export type QueryOf<E extends Endpoint> = z.output<E['query']>;
export type BodyOf<E extends Endpoint> = E['body'] extends null
  ? undefined
  : z.output<NonNullable<E['body']>>;
export type AnswerOf<E extends Endpoint> = E['answer'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;

/** An endpoint whose handler, or whose method of the client, is written by hand. */
export function endpoint<
  M extends Method,
  const P extends string,
  A extends AnswerKind,
  Q extends ParameterSchema = typeof NO_PARAMETERS,
  B extends z.ZodType | null = null,
>(facts: Facts<M, P, Q, B, A>): Endpoint<M, P, Q, B, A> {
  const names = namesIn(facts.path) as (keyof PathParameters)[];
  const params = Object.fromEntries(names.map((name) => [name, pathParameters[name]]));
  return {
    query: NO_PARAMETERS as ParameterSchema as Q,
    body: null as B,
    ...facts,
    params: z.strictObject(params),
  };
}

export function json<S extends z.ZodType>(schema: S): { kind: 'json'; schema: S; status: 200 } {
  return { kind: 'json', schema, status: 200 };
}

export function created<S extends z.ZodType>(schema: S): { kind: 'json'; schema: S; status: 201 } {
  return { kind: 'json', schema, status: 201 };
}

export const NOTHING = { kind: 'none' } as const;
