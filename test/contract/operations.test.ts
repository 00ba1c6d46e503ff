import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpEngine } from '../../src/client/http-engine.ts';
import { ENDPOINTS, OPERATIONS, type OperationId } from '../../src/contract/endpoints.ts';
import { argumentsFor, type Operation, requestFor } from '../../src/contract/operation.ts';
import { namesIn } from '../../src/contract/path-names.ts';
import { json, scripted } from '../client/scripted-server.ts';
import { worldOf } from '../engine/engine-world.ts';
import { simpleModel } from '../engine/simple-model.ts';

const CLI = resolve(import.meta.dirname, '../../src/cli');
const COMMANDS = readdirSync(CLI, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(CLI, file), 'utf8'));

/** Operations that no command calls, and why. */
const NOT_IN_CLI: Partial<Record<OperationId, string>> = {
  changeResources: 'people change resources with `resolve` and `recover`; this is for agents',
  createFailureHandler: 'a spec has its failure handlers; this is for programs written for other systems',
  listFailureHandlers: 'as createFailureHandler',
  getFailureHandler: 'as createFailureHandler',
  deleteFailureHandler: 'as createFailureHandler',
  findJob: 'commands name the workflow of a job',
  listFiles: '`graph` and `plan` show files as edges',
  listUserData: 'for programs that read what jobs pass to each other',
  setUserData: 'for programs that set what jobs pass to each other',
  retryJob: '`retry` calls retryJobs, which takes any choice of jobs; this is the path of the seeds',
  listTimelines: 'for the pages of the server',
  listWorkerJobs: '`workers list` counts them; this is for the pages of the server',
  listAudit: 'for administrators of a server, over HTTP',
};

/** A value for each parameter of a path, and an object for the rest. */
function given({ method, path, body }: Operation): unknown[] {
  const values = namesIn(path).map((name, index) => (name === 'name' ? 'a name' : index + 1));
  if (method === 'GET') return [...values, { limit: 5 }];
  return [...values, { actor: 'ada', ...(body !== null && { reason: 'r' }) }];
}

describe.each(OPERATIONS)('the operation %s', (id, operation) => {
  test('is a method of the client that sends what its endpoint reads', async () => {
    const { url, heard } = await scripted(
      operation.answer.kind === 'none' ? (response) => response.writeHead(204).end() : json({ id: 1 }),
    );
    const engine = new HttpEngine({ url, token: null });
    onTestFinished(() => engine.close());
    const call = engine[id] as (...given: unknown[]) => Promise<unknown>;
    // A list is no answer here; the request is what matters.
    await call(...given(operation)).catch(() => {});
    const path = namesIn(operation.path).reduce(
      (filled, name, index) => filled.replace(`{${name}}`, name === 'name' ? 'a%20name' : String(index + 1)),
      operation.path as string,
    );
    const isRead = operation.method === 'GET';
    expect(heard[0]).toMatchObject({ method: operation.method, url: isRead ? `${path}?limit=5` : path });
    expect(heard[0]!.headers['holdfast-actor']).toBe(isRead ? undefined : 'ada');
    expect(heard[0]!.body ?? null).toEqual(isRead || operation.body === null ? null : { reason: 'r' });
  });

  test('has the same arguments on both sides of HTTP', () => {
    const request = requestFor(operation, given(operation));
    const arrived = argumentsFor(operation, { query: {}, body: {}, actor: '', ...request });
    expect(arrived).toEqual(given(operation));
  });

  test('is called by a command, or the table above says why not', () => {
    const isCalled = COMMANDS.some((text) => new RegExp(`\\.${id}\\(`).test(text));
    expect(isCalled, NOT_IN_CLI[id]).toBe(!(id in NOT_IN_CLI));
  });
});

test('every operation is a method of the engine in this process', async () => {
  const world = await worldOf(simpleModel([{ name: 'a' }]));
  const missing = OPERATIONS.filter(([id]) => typeof world.engine[id] !== 'function');
  expect(missing).toEqual([]);
});

test('no two endpoints have the same method and path', () => {
  const routes = ENDPOINTS.flatMap(([, { method, path, aliases = [] }]) =>
    [path, ...aliases].map((each) => `${method} ${each.replaceAll(/\{\w+\}/g, '{}')}`),
  );
  expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([]);
});
