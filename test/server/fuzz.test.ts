import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { errorBody } from '../../src/contract/schemas/error-body.ts';
import { Scene } from './scene.ts';
import { broken, type JsonSchema, valuesOf } from './schema-values.ts';

const document = openApiDocument('0') as {
  paths: Record<string, Record<string, Operation>>;
} & JsonSchema;

interface Parameter {
  name: string;
  in: string;
  schema: JsonSchema;
}
interface Operation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
}

/** Requests to each endpoint; HOLDFAST_FUZZ=2000 for a long run. */
const RUNS = Number(process.env.HOLDFAST_FUZZ ?? 60);
/** Nothing that is asked here may take longer. */
const HANG_MS = 10_000;

const OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation })),
);

/** Long answers are tried elsewhere: here everything must come to its end. */
const FIXED: Record<string, string> = { timeout_ms: '2', follow: 'false' };

const fixedOf = (parameters: Parameter[]) =>
  parameters.map(({ name }) => name).filter((name) => name in FIXED);

function parameter({ name, schema }: Parameter): fc.Arbitrary<string> {
  if (FIXED[name] !== undefined) return fc.constantFrom(FIXED[name], 'x', '-1');
  // Not String: objects are drawn that cannot be made one.
  const text = (value: unknown): string =>
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.map(text).join()
        : `${JSON.stringify(value)}`;
  const valid = valuesOf(schema, document).map(text);
  return fc.oneof({ weight: 4, arbitrary: valid }, broken(valuesOf(schema, document)).map(text));
}

function request({ path, operation }: (typeof OPERATIONS)[number]) {
  const of = (place: string) => operation.parameters.filter((each) => each.in === place);
  const values = (place: string, requiredKeys?: string[]) =>
    fc.record(Object.fromEntries(of(place).map((each) => [each.name, parameter(each)])), {
      ...(requiredKeys && { requiredKeys }),
    });
  const schema = operation.requestBody?.content['application/json'].schema;
  const body =
    schema === undefined
      ? fc.constant(undefined)
      : fc.oneof(valuesOf(schema, document), broken(valuesOf(schema, document)));
  const extra = fc.option(fc.constantFrom('__proto__', 'constructor', 'x[y]', 'toString'), { freq: 10 });
  return fc
    .record({ inPath: values('path'), inQuery: values('query', fixedOf(of('query'))), body, extra })
    .map((parts) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeText((parts.inPath as Record<string, string>)[name] ?? ''),
      );
      const pairs = Object.entries(parts.inQuery as Record<string, string>).map(
        ([name, value]) => `${name}=${encodeText(value)}`,
      );
      if (parts.extra !== null) pairs.push(`${parts.extra}=1`);
      return { url: pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`, body: parts.body };
    });
}

/** Half a surrogate cannot be encoded. */
function encodeText(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '�'));
}

describe('whatever the description allows or forbids', () => {
  test.each(OPERATIONS)(
    '$name answers, and never with 500',
    async (each) => {
      const scene = await Scene.create();
      const { world } = scene;
      await fc.assert(
        fc.asyncProperty(request(each), async ({ url, body }) => {
          const asked = {
            method: each.method.toUpperCase(),
            url,
            token: world.tokens.admin,
            ...(body !== undefined && { body: JSON.stringify(body) }),
          };
          const isEndless = each.operation.operationId === 'streamEvents';
          const answer = await inTime(
            world.ask(asked, { isEndless }),
            `${asked.method} ${url} ${JSON.stringify(body)}`,
          );
          expect([answer.statusCode, lastError(world.lines, answer.statusCode)]).toEqual([
            expect.any(Number),
            undefined,
          ]);
          if (isEndless) answer.stream().destroy();
          else if (answer.statusCode >= 400 && answer.statusCode !== 416) errorBody.parse(answer.json());
          // The tokens of this test may have been revoked by it.
          if (answer.statusCode === 200 && each.operation.operationId === 'revokeToken') {
            world.tokens.admin = (
              await world.engine.createToken({
                name: 'again',
                role: 'admin',
                expires_at_ms: null,
                actor: 't',
              })
            ).secret;
          }
        }),
        { numRuns: RUNS },
      );
    },
    HANG_MS * 6 + RUNS * 100,
  );
});

async function inTime<T>(answer: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer: ${what}`)), HANG_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** What went wrong, for whoever reads the failure of this test. */
function lastError(lines: string[], status: number): string | undefined {
  return status < 500 ? undefined : lines.findLast((line) => line.includes('unexpected'));
}

describe('whatever else is sent', () => {
  const post = { method: 'POST', url: '/api/v1/workflows' };
  const json = { 'content-type': 'application/json' };

  test.each([
    ['broken JSON', { ...post, body: '{"spec": ', headers: json }, 400],
    ['JSON of another kind', { ...post, body: '"spec"', headers: json }, 422],
    [
      'no JSON at all',
      { ...post, body: 'spec=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      400,
    ],
    ['a type that is none', { ...post, body: '{}', headers: { 'content-type': 'nonsense' } }, 400],
    ['plain text', { ...post, body: '{}', headers: { 'content-type': 'text/plain' } }, 400],
    ['a prototype', { ...post, body: '{"__proto__": {"role": "admin"}}', headers: json }, 400],
    [
      'a deep one',
      { ...post, body: `{"spec": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`, headers: json },
      422,
    ],
    ['an empty body', { ...post, body: '', headers: json }, 422],
    [
      'too much',
      { ...post, body: JSON.stringify({ spec: 'x'.repeat(9 * 1024 * 1024) }), headers: json },
      413,
    ],
    [
      'a large spec',
      { ...post, body: JSON.stringify({ spec: 'x'.repeat(5 * 1024 * 1024) }), headers: json },
      422,
    ],
    ['a zero byte in a body', { ...post, body: '{"spec": {"name": "a\\u0000"}}', headers: json }, 422],
    [
      'a zero byte in a spec',
      { ...post, body: '{"spec": "name: \\"a\\\\0\\"\\njobs: [{name: a, command: b}]"}', headers: json },
      422,
    ],
    ['a path that leads out', { url: '/api/v1/workflows/..%2f..%2f..%2fetc%2fpasswd' }, 422],
    ['a log that leads out', { url: '/api/v1/workflows/1/jobs/..%2f..%2fsecret/logs/stdout' }, 404],
    ['a bad escape', { url: '/api/v1/workflows/%zz' }, 400],
    ['half a letter', { url: '/api/v1/workflows/1/jobs/%c3' }, 400],
    ['a zero byte', { url: '/api/v1/workflows/1/jobs/a%00b' }, 422],
    ['a long path', { url: `/api/v1/workflows/1/jobs/${'a'.repeat(20_000)}` }, 400],
    ['a huge number', { url: '/api/v1/workflows/99999999999999999999999' }, 422],
    ['a number in another notation', { url: '/api/v1/workflows/1e3' }, 422],
    ['a method that is none', { method: 'PATCH', url: '/api/v1/workflows/1' }, 405],
  ])('%s is refused', async (_, asked, status) => {
    const scene = await Scene.create();
    const answer = await inTime(scene.world.ask({ ...asked, token: scene.world.tokens.admin }), asked.url);
    expect([answer.statusCode, errorBody.safeParse(answer.json()).success]).toEqual([status, true]);
    expect(({} as Record<string, unknown>).role).toBeUndefined();
  });

  test('an unexpected error says nothing but the number of the request', async () => {
    const scene = await Scene.create();
    const { world } = scene;
    await world.engine.close();
    const answer = await world.ask({ url: '/api/v1/workflows', token: world.tokens.admin });
    const { error } = errorBody.parse(answer.json());
    expect([answer.statusCode, JSON.stringify(error).includes('database')]).toEqual([
      expect.toBeOneOf([500, 503]),
      false,
    ]);
    expect(answer.body).not.toMatch(/\.ts:|node_modules|at /);
  });
});
