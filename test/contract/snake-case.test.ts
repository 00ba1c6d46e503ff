import { expect, test } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { errorBody } from '../../src/contract/schemas/error-body.ts';

/** JavaScript of specs reads `error.exitCode` of its inputs; it is spelled there as programs for Node spell it. */
const EXCEPTIONS = new Set(['EvaluationInputs.error.exitCode']);

const schemas = [
  errorBody,
  ...ENDPOINTS.flatMap(([, { params, query, body, answer }]) => [
    params,
    query,
    ...(body === null ? [] : [body]),
    ...(answer.kind === 'json' ? [answer.schema] : []),
  ]),
];

/** Where the keys of a JSON schema are, from the innermost schema that has a name. */
function keysOf(schema: unknown, path: string, found: Set<string>): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { id, properties = {}, $defs = {}, ...rest } = schema as Record<string, unknown>;
  const place = typeof id === 'string' ? id : path;
  for (const [key, value] of Object.entries(properties as object)) {
    found.add(`${place}.${key}`);
    keysOf(value, `${place}.${key}`, found);
  }
  for (const [name, value] of Object.entries($defs as object)) keysOf(value, name, found);
  for (const value of Object.values(rest)) keysOf(value, place, found);
  return found;
}

const keys = new Set<string>();
for (const schema of schemas) {
  for (const io of ['input', 'output'] as const) {
    keysOf(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), '', keys);
  }
}

test('every key of the contract is snake_case', () => {
  expect(keys.size).toBeGreaterThan(300);
  const wrong = [...keys].filter((key) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key.split('.').at(-1)!));
  expect(wrong).toEqual([...EXCEPTIONS]);
});
