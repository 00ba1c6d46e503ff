import type { AnswerOf, ParamListOf } from '../../src/contract/endpoint.ts';
import type { endpoints } from '../../src/contract/endpoints.ts';
import type { RequestOf } from '../../src/contract/operation.ts';
import { namesIn } from '../../src/contract/path-names.ts';
import type { ErrorBody } from '../../src/contract/schemas/error-body.ts';
import { type CalledOperation, ROUTES } from './routes.ts';

type Endpoints = typeof endpoints;
/** The server records who asks. */
type WithoutActor<T> = T extends { actor: string } ? Omit<T, 'actor'> : T;
type Given<I extends CalledOperation> = [
  ...ParamListOf<Endpoints[I]>,
  request?: WithoutActor<RequestOf<Endpoints[I]>>,
];

/** A refusal of the server, in its words. `status` is 0 where it could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** A token was shown, and is none, or none any more. */
  readonly isTokenInvalid: boolean;

  constructor(status: number, { code, message, hint }: ErrorBody['error'], isTokenInvalid = false) {
    super(message);
    this.status = status;
    this.isTokenInvalid = isTokenInvalid;
    this.code = code;
    this.hint = hint;
  }
}

export const UNREACHABLE = {
  code: 'UNREACHABLE',
  message: 'the server cannot be reached',
  hint: 'the page tries again by itself',
};

/** Calls an operation of the contract. */
export async function call<I extends CalledOperation>(
  id: I,
  ...given: Given<I>
): Promise<AnswerOf<Endpoints[I]>> {
  const [method, path] = ROUTES[id];
  const names = namesIn(path);
  const filled = names.reduce<string>(
    (url, name, index) => url.replace(`{${name}}`, encodeURIComponent(String(given[index]))),
    path,
  );
  const request = (given[names.length] ?? {}) as Record<string, unknown>;
  const answer =
    method === 'GET' || method === 'DELETE'
      ? await ask(`${filled}${queryText(request)}`, { method })
      : await ask(filled, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
        });
  return (await answer.json()) as AnswerOf<Endpoints[I]>;
}

/** Any request to the server; refusals are errors. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, UNREACHABLE);
  }
  if (answer.ok) return answer;
  const isTokenInvalid = answer.headers.get('www-authenticate')?.includes('invalid_token') === true;
  throw new ApiError(answer.status, await problemIn(answer), isTokenInvalid);
}

async function problemIn(answer: Response): Promise<ErrorBody['error']> {
  try {
    return ((await answer.json()) as ErrorBody).error;
  } catch {
    const message = `the server answered with ${answer.status}`;
    return { code: 'UNREADABLE_ANSWER', message, hint: 'its log has the details' };
  }
}

function queryText(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
