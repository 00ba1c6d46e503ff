import type { z } from 'zod';
import type { Role } from '../core/token.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Parameters by name, each as it is once it was read: numbers are numbers, lists are lists. */
export type ParameterSchema = z.ZodObject;

/** What an endpoint answers with, besides its errors. */
export type Answer =
  /** JSON. */
  | { kind: 'json'; schema: z.ZodType; status: 200 | 201 }
  /** Nothing; status 204. */
  | { kind: 'none' }
  /** Anything else, as it comes; `ranges`: a part of it if only that is asked for. */
  | { kind: 'stream'; type: string; description: string; ranges?: true };

/** One thing that can be asked of a server. Server, client, documentation and tests are made from the same table. */
export interface Endpoint<
  P extends ParameterSchema = ParameterSchema,
  Q extends ParameterSchema = ParameterSchema,
  B extends z.ZodType | null = z.ZodType | null,
  A extends Answer = Answer,
> {
  method: Method;
  /** With `{name}` for parameters. */
  path: string;
  /** Paths that programs written for other systems know; they answer the same. */
  aliases?: readonly string[];
  /** null: anybody, without a token. */
  role: Role | null;
  /** For the documentation: what it belongs to, and what it does in one sentence. */
  tag: string;
  summary: string;
  params: P;
  query: Q;
  /** Request headers that it reads, besides those of every endpoint. */
  headers?: readonly RequestHeader[];
  body: B;
  answer: A;
  /** Its body has what programs wrote, in which a zero byte is nothing special. */
  anyText?: true;
}

export interface RequestHeader {
  name: string;
  description: string;
}

export type ParamsOf<E extends Endpoint> = z.output<E['params']>;
export type QueryOf<E extends Endpoint> = z.output<E['query']>;
export type BodyOf<E extends Endpoint> = E['body'] extends z.ZodType ? z.output<E['body']> : undefined;
export type AnswerOf<E extends Endpoint> = E['answer'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;

/** Keeps what is exact about the schemas. */
export function endpoint<
  P extends ParameterSchema,
  Q extends ParameterSchema,
  B extends z.ZodType | null,
  A extends Answer,
>(facts: Endpoint<P, Q, B, A>): Endpoint<P, Q, B, A> {
  return facts;
}

export function json<S extends z.ZodType>(schema: S): { kind: 'json'; schema: S; status: 200 } {
  return { kind: 'json', schema, status: 200 };
}

export function created<S extends z.ZodType>(schema: S): { kind: 'json'; schema: S; status: 201 } {
  return { kind: 'json', schema, status: 201 };
}

export const NOTHING = { kind: 'none' } as const;
