import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { describeIssue } from '../../spec/schema/reading/describe-issue.ts';
import { checkData } from './check-data.ts';
import { type FieldProblem, RequestError } from './request-error.ts';

/** More problems than these help nobody. */
const MOST_PROBLEMS = 50;

export interface CheckedRequest {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** A body that is handed on as it arrived, to be read in a thread. */
export class UnreadBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Nothing of a request is used before it went through here. */
export function readRequest(endpoint: Endpoint, request: FastifyRequest): CheckedRequest {
  const { params, query, body, anyText = false } = endpoint;
  const problems: FieldProblem[] = [];
  const checked = {
    params: check('path', params, request.params, false, problems),
    query: check('query', query, request.query, false, problems),
    body:
      body === null
        ? nothing(request.body, problems)
        : request.body instanceof UnreadBody
          ? request.body
          : check('body', body, request.body ?? {}, anyText, problems),
  };
  if (problems.length > 0) throw new RequestError(problems.slice(0, MOST_PROBLEMS));
  return checked;
}

/** The body alone, where it is read apart from the rest. */
export function readBody({ body, anyText }: Endpoint, given: unknown): unknown {
  const problems: FieldProblem[] = [];
  const checked = check('body', body!, given, anyText === true, problems);
  if (problems.length > 0) throw new RequestError(problems.slice(0, MOST_PROBLEMS));
  return checked;
}

function check(
  place: string,
  schema: z.ZodType,
  given: unknown,
  anyText: boolean,
  problems: FieldProblem[],
): unknown {
  const problem = checkData(given, place, { zeroBytes: anyText ? 'allowed' : 'refused' });
  if (problem !== null) {
    problems.push(problem);
    return undefined;
  }
  const result = schema.safeParse(given, { error: describeIssue });
  if (result.success) return result.data;
  for (const issue of result.error.issues) problems.push(...fieldProblems(place, issue));
  return undefined;
}

function fieldProblems(place: string, issue: z.core.$ZodIssue): FieldProblem[] {
  const path = `${place}${pathText(issue.path)}`;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MOST_PROBLEMS)
      .map((key) => ({ path: `${path}${pathText([key])}`, message: 'is not known here' }));
  }
  return [{ path, message: issue.message }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 100)}`))
    .join('');
}

/** Some clients send an empty object where there is nothing to say. */
function nothing(body: unknown, problems: FieldProblem[]): undefined {
  const isEmpty = body === undefined || body === null || z.strictObject({}).safeParse(body).success;
  if (!isEmpty) problems.push({ path: 'body', message: 'must be empty' });
  return undefined;
}
