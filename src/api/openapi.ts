import { z } from 'zod';
import type { Endpoint, ParameterSchema } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { ACTOR } from './request-headers.ts';
import { errorBody } from './schemas/error-body.ts';

type Json = Record<string, unknown>;

/** What an endpoint may refuse with, besides what only it knows. */
const REFUSALS: Record<string, string> = {
  400: 'The request cannot be read.',
  401: 'There is no token, or it is not valid.',
  403: 'The token does not have the role, or the request comes from a page of another site.',
  404: 'There is no such thing.',
  409: 'It cannot be done as things are; nothing was changed.',
  413: 'The request is too large.',
  422: 'The request says something impossible; `fields` tells what.',
  429: 'Too many requests with a wrong token.',
  500: 'Something unexpected went wrong.',
  503: 'The server is shutting down, or its database does not answer.',
};

/** The description of the API, from the schemas that check requests. */
export function openApiDocument(version: string, more: { paths: Json } = { paths: {} }): Json {
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
    security: [{ token: [] }, { cookie: [] }],
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
    description: 'Who asks, percent-encoded; counts only on a server that wants no token.',
  };
  const headerParameters = [...headers, ...(method === 'GET' || role === null ? [] : [actor])];
  return {
    operationId,
    tags: [tag],
    summary,
    description: role === null ? 'Needs no token.' : `Needs the role ${role}.`,
    ...(role === null && { security: [] }),
    parameters: [
      ...parameters('path', endpoint.params, components),
      ...parameters('query', endpoint.query, components),
      ...headerParameters.map(({ name, description }) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ],
    ...(body !== null && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: components.schema(body, 'input') } },
      },
    }),
    responses: {
      ...success(endpoint, components),
      ...Object.fromEntries(Object.entries(REFUSALS).map(([status, text]) => [status, refusal(text)])),
    },
  };
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
  const { properties, required = [] } = components.schema(schema, 'output') as {
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

  schema(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, override: tidy }) as Json;
    for (const [name, definition] of Object.entries($defs as Record<string, Json>)) {
      const { id: __, ...shape } = definition;
      this.schemas[name] = withReferences(shape);
    }
    const { id, ...shape } = json;
    if (typeof id !== 'string') return withReferences(shape) as Json;
    this.schemas[id] = withReferences(shape);
    return { $ref: `#/components/schemas/${id}` };
  }

  reference(schema: z.ZodType): string {
    return this.schema(schema, 'output').$ref as string;
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
