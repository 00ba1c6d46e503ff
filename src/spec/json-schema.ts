import { z } from 'zod';
import { SPEC_KINDS } from './read-kind.ts';
import { requestSpecSchema } from './schema/request-schema.ts';
import { rulebookSchema } from './schema/rulebook-schema.ts';
import { workflowSpecSchema } from './schema/workflow-schema.ts';

/** A part of a JSON Schema. */
export interface SchemaNode {
  title?: string;
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: SchemaNode[];
  items?: SchemaNode;
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode | boolean;
  required?: string[];
  $defs?: Record<string, SchemaNode>;
}

const strict = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as SchemaNode;

/** The JSON Schema (draft 2020-12) of a workflow, without the null that every optional key may be. */
export function strictSpecSchema(): SchemaNode {
  return strict(workflowSpecSchema);
}

export function strictRequestSchema(): SchemaNode {
  return strict(requestSpecSchema);
}

export function strictRulebookSchema(): SchemaNode {
  return strict(rulebookSchema);
}

/** Names the schema, wherever a copy of it is. */
export const SCHEMA_ID = 'urn:holdfast:spec';

/**
 * The JSON Schema (draft 2020-12) of specs, for editors: completion, hover texts, marks under mistakes. `kind` decides
 * between workflow and request, because editors show the mistakes of all alternatives of an `anyOf`. Rulebooks have no
 * kind; editors find them under `$defs`.
 */
export function specJsonSchema(): Record<string, unknown> {
  const schemas = [strictSpecSchema(), strictRequestSchema(), strictRulebookSchema()].map(withNulls);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: SCHEMA_ID,
    title: 'Holdfast workflow or request',
    type: 'object',
    properties: { kind: { enum: SPEC_KINDS } },
    if: { properties: { kind: { const: 'request' } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: '#/$defs/Request' },
    else: { $ref: '#/$defs/Workflow' },
    $defs: Object.assign({}, ...schemas.map(({ $defs }) => $defs)),
  };
}

/** Every key that need not be given may be null, which means the same. */
function withNulls(node: SchemaNode): SchemaNode {
  const required = new Set(node.required);
  const each = (nodes: Record<string, SchemaNode>, change: (key: string, part: SchemaNode) => SchemaNode) =>
    Object.fromEntries(Object.entries(nodes).map(([key, part]) => [key, change(key, part)]));
  return {
    ...node,
    ...(node.$defs && { $defs: each(node.$defs, (_, part) => withNulls(part)) }),
    ...(node.anyOf && { anyOf: node.anyOf.map(withNulls) }),
    ...(node.items && { items: withNulls(node.items) }),
    ...(typeof node.additionalProperties === 'object' && {
      additionalProperties: withNulls(node.additionalProperties),
    }),
    ...(node.properties && {
      properties: each(node.properties, (key, part) =>
        required.has(key) ? withNulls(part) : orNull(withNulls(part)),
      ),
    }),
  };
}

function orNull({ description, default: fallback, ...node }: SchemaNode): SchemaNode {
  // A schema without these accepts everything.
  const isOpen = Object.keys(node).length === 0;
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    ...(isOpen ? {} : { anyOf: [node, { type: 'null' }] }),
  };
}
