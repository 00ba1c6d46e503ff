import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { mcpRoutes } from '../../src/mcp/http-route.ts';
import { mcpFacts } from './mcp-facts.ts';
import { ServerWorld } from './server-world.ts';

type Json = Record<string, unknown>;
interface Operation extends Json {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: Json }[];
  responses: Record<string, { description: string }>;
}

const document = openApiDocument('1.2.3') as {
  openapi: string;
  info: Json;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

describe('the description of the API', () => {
  test('has what OpenAPI 3.1 demands of a document', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: '1.2.3' });
    for (const { path, method, operation } of operations) {
      expect(path).toMatch(/^\//);
      expect(['get', 'put', 'post', 'delete']).toContain(method);
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
    }
  });

  test('names every operation once', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  test('describes each parameter of a path, and no other, and none twice', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described = operation.parameters.filter((each) => each.in === 'path');
      expect(described.map(({ name }) => name).sort()).toEqual(inPath.sort());
      expect(described.every(({ required }) => required)).toBe(true);
      const keys = operation.parameters.map((each) => `${each.in} ${each.name}`);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { schema } of operation.parameters) expect(Object.keys(schema).length).toBeGreaterThan(0);
    }
  });

  test('refers only to what it has', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    const known = new Set(
      Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
    );
    const dangling = [...references].map((match) => match[1]!).filter((reference) => !known.has(reference));
    expect(dangling).toEqual([]);
    for (const name of known) expect(name).toMatch(/^#\/components\/schemas\/[\w.-]+$/);
  });

  test('uses each name for one schema, whether it is sent or received', () => {
    expect(JSON.stringify(document)).not.toMatch(/\$defs|"id":"[A-Z]/);
    expect(document.components.schemas.Job).toMatchObject({ type: 'object', required: expect.any(Array) });
  });

  test('has every route of the server, and no other', async () => {
    const world = await ServerWorld.create({ routes: [mcpRoutes(mcpFacts())] });
    const answer = await world.ask({ url: '/api/v1/openapi.json' });
    const described = Object.entries((answer.json() as typeof document).paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(world.routes.sort());
  });

  test('says of each endpoint which role it needs', () => {
    for (const [id, { role }] of ENDPOINTS) {
      const { operation } = operations.find((each) => each.operation.operationId === id)!;
      if (role === null) expect(operation.security).toEqual([]);
      else expect(operation.description).toContain(role);
    }
  });

  test('lists every status of a log that can be asked for in parts', () => {
    const { responses } = operations.find(({ operation }) => operation.operationId === 'readLog')!.operation;
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '206', '416']));
  });

  test('is a page for people, which loads nothing from elsewhere', async () => {
    const world = await ServerWorld.create();
    const { body, headers } = await world.ask({ url: '/api/v1/docs' });
    for (const [, { path }] of ENDPOINTS) expect(body).toContain(path);
    expect(body).not.toMatch(/src=|@import|url\(|https?:|innerHTML/);
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(body)!;
    const hash = createHash('sha256').update(script!).digest('base64');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self'`);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(policy).not.toContain('unsafe');
  });
});
