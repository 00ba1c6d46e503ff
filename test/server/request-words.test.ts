import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { readRequest } from '../../src/server/requests/read-request.ts';
import { RequestError } from '../../src/server/requests/request-error.ts';

/** How zod says it. */
const NOT_OURS =
  /Invalid|Too (?:small|big)|Unrecognized|expected (?:string|number|int|array|object|record)|received/;

const VALUES = [
  undefined,
  null,
  -1,
  1.5,
  '',
  'x',
  'x'.repeat(20_000),
  true,
  [],
  {},
  [null],
  { a: 1 },
  2 ** 70,
];

/** What is said about a request in which every field has this value. */
function said(endpoint: (typeof endpoints)[keyof typeof endpoints], value: unknown): string[] {
  const filled = (schema: { shape?: object } | null) =>
    Object.fromEntries(Object.keys(schema?.shape ?? {}).map((key) => [key, value]));
  const request = {
    params: filled(endpoint.params as never),
    query: filled(endpoint.query as never),
    body: endpoint.body === null ? undefined : filled(endpoint.body as never),
  };
  try {
    readRequest(endpoint, request as FastifyRequest);
    return [];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return error.fields.map(({ message }) => message);
  }
}

describe('what is wrong with a request', () => {
  it('is said in our words', () => {
    const messages = Object.values(endpoints).flatMap((endpoint) =>
      VALUES.flatMap((value) => said(endpoint, value)),
    );
    expect(messages.length).toBeGreaterThan(300);
    expect(
      [...new Set(messages)].filter((message) => message.trim() === '' || NOT_OURS.test(message)),
    ).toEqual([]);
  });
});
