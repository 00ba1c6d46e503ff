import { z } from 'zod';
import type { Endpoint, ParameterSchema } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { ACTOR, ACTOR_TEXT } from './request-headers.ts';
import { errorBody } from './schemas/error-body.ts';

type Json = Record<string, unknown>;

/** What an endpoint may refuse with, besides what only it knows. */
const REFUSALS: Record<string, string> = {
  400: 'The request cannot be read.',
  401: 'There is no token, or it is not valid.',
  403: 'The token does not have the role, the secret is not the one of the worker, or the request comes from a page of another site.',
  404: 'There is no such thing.',
  409: 'It cannot be done as things are; nothing was changed.',
  413: 'The request is too large.',
  405: 'The path cannot be asked for with this method; the header `Allow` has those that it can.',
  422: 'The request says something impossible; `fields` says what.',
  429: 'Too many requests with a wrong token, or too many open streams.',
  500: 'Something unexpected went wrong.',
  503: 'The server is shutting down or too busy, or its database does not answer.',
  507: 'There is no space left to store anything.',
};

/** The description of the API, from the schemas that check requests. */
export function openApiDocument(
  version: string,
  more: { paths: Json; auth?: 'none' | 'token' } = { paths: {} },
): Json {
  const components = new Components();
  const error = { $ref: components.reference(errorBody) };
  const paths: Record<string, Json> = {};
  for (const [id, endpoint] of ENDPOINTS) {
    [endpoint.path, ...(endpoint.aliases ?? [])].forEach((path, index) => {
      const operationId = index === 0 ? id : `${id}Alias${index}`;
      paths[path] = {
        ...paths[path],
        [endpoint.method.toLowerCase()]: operation(operationId, endpoint, components, error),
      };
    });
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Holdfast',
      version,
      summary: 'Runs batch workflows in which failure is a first-class path.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    // A server without authentication ignores tokens.
    security: more.auth === 'none' ? [] : [{ token: [] }, { cookie: [] }],
    tags: [...new Set(ENDPOINTS.map(([, { tag }]) => tag))].map((name) => ({ name })),
    paths: { ...paths, ...more.paths },
    components: {
      schemas: components.schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token from `holdfast token create`.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'holdfast_token', description: 'From a login.' },
      },
    },
  };
}

function operation(operationId: string, endpoint: Endpoint, components: Components, error: Json): Json {
  const { tag, summary, role, body, headers = [], method } = endpoint;
  const refusal = (description: string) => ({
    description,
    content: { 'application/json': { schema: error } },
  });
  const actor = {
    name: ACTOR,
    description: 'The caller, percent-encoded; counts only on a server that requires no token.',
    schema: { pattern: ACTOR_TEXT, minLength: 1, maxLength: 200 },
  };
  const headerParameters = [...headers, ...(method === 'GET' || role === null ? [] : [actor])];
  return {
    operationId,
    tags: [tag],
    summary,
    description: needs(role),
    ...(role === null && { security: [] }),
    parameters: [
      ...parameters('path', endpoint.params, components),
      ...parameters('query', endpoint.query, components),
      ...headerParameters.map(({ name, description, schema }) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string', ...schema },
      })),
    ],
    ...(body !== null && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: components.schema(body, 'input', true, endpoint.anyText !== true) },
        },
      },
    }),
    responses: {
      ...success(endpoint, components),
      ...Object.fromEntries(Object.entries(REFUSALS).map(([status, text]) => [status, refusal(text)])),
      // From the parser of HTTP, before anything of ours sees the request.
      431: { description: 'The path or the headers are too long.' },
    },
  };
}

function needs(role: Endpoint['role']): string {
  if (role === null) return 'Needs no token.';
  return role === 'any' ? 'Needs a token of any role.' : `Needs the role ${role}.`;
}

function success({ answer }: Endpoint, components: Components): Json {
  switch (answer.kind) {
    case 'json':
      return {
        [answer.status]: {
          description: 'Done.',
          content: { 'application/json': { schema: components.schema(answer.schema, 'output') } },
        },
      };
    case 'none':
      return { 204: { description: 'Done.' } };
    case 'stream': {
      const content = { [answer.type]: { schema: { type: 'string' } } };
      return {
        200: { description: answer.description, content },
        ...(answer.ranges && {
          206: { description: 'The range that was asked for.', content },
          416: { description: 'The range begins after the end.' },
        }),
      };
    }
  }
}

/** What a parameter is once it was read is what people want to know of it. */
function parameters(place: 'path' | 'query', schema: ParameterSchema, components: Components): Json[] {
  const { properties, required = [] } = components.schema(schema, 'output', true, true) as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    ...(type.type === 'array' && { style: 'form', explode: false }),
    schema: type,
  }));
}

/** Schemas that have a name are written down once. */
class Components {
  readonly schemas: Record<string, unknown> = {};

  schema(schema: z.ZodType, io: 'input' | 'output', limits = io === 'input', plainTexts = false): Json {
    const override = plainTexts ? refuseZeroBytes : limits ? keepLimits : tidy;
    const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, override }) as Json;
    for (const [name, definition] of Object.entries($defs as Record<string, Json>)) {
      const { id: __, ...shape } = definition;
      this.#add(name, shape, plainTexts);
    }
    const { id, ...shape } = json;
    if (typeof id !== 'string') return withReferences(shape) as Json;
    this.#add(id, shape, plainTexts);
    return { $ref: `#/components/schemas/${id}` };
  }

  /** Where requests and answers share a schema, the limits of requests count. */
  #add(name: string, shape: Json, isStrict: boolean): void {
    if (isStrict || !Object.hasOwn(this.schemas, name)) this.schemas[name] = withReferences(shape);
  }

  reference(schema: z.ZodType): string {
    return this.schema(schema, 'output').$ref as string;
  }
}

/** Ids and cursors are refused beyond their limits, whatever else they mean. */
function keepLimits(): void {}

/** What `checkData` refuses in every text of a request. */
function refuseZeroBytes({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { type, pattern, enum: values, const: value } = jsonSchema;
  if (type === 'string' && pattern === undefined && values === undefined && value === undefined) {
    jsonSchema.pattern = '^[^\\u0000]*$';
  }
}

/** Limits that only say that a number is one. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) =>
      key === '$ref' && typeof each === 'string'
        ? [key, each.replace('#/$defs/', '#/components/schemas/')]
        : [key, withReferences(each)],
    ),
  );
}
