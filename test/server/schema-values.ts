import fc from 'fast-check';

export type JsonSchema = Record<string, unknown>;

/** Values that a JSON Schema allows, as far as the schemas of the API go. */
export function valuesOf(schema: JsonSchema, root: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') return valuesOf(resolve(schema.$ref, root), root, depth);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  for (const key of ['anyOf', 'oneOf']) {
    const choices = schema[key] as JsonSchema[] | undefined;
    if (choices) return fc.oneof(...choices.map((each) => valuesOf(each, root, depth)));
  }
  switch (schema.type) {
    case 'integer':
      return integers(schema);
    case 'number':
      return fc.oneof(integers(schema), fc.double({ ...doubleLimits(schema), noNaN: true }));
    case 'string':
      return strings(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as JsonSchema, root, depth + 1), {
        minLength: (schema.minItems as number | undefined) ?? 0,
        maxLength: 3,
      });
    case 'object':
      return objects(schema, root, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>;
  }
}

export function resolve(reference: string, root: JsonSchema): JsonSchema {
  let found: unknown = root;
  for (const part of reference.slice(2).split('/')) found = (found as JsonSchema)[part];
  return found as JsonSchema;
}

function objects(schema: JsonSchema, root: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) {
    const value = schema.additionalProperties;
    const each =
      typeof value === 'object' && value !== null
        ? valuesOf(value as JsonSchema, root, depth + 1)
        : fc.jsonValue({ maxDepth: 1 });
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), each as fc.Arbitrary<unknown>, {
      maxKeys: depth > 3 ? 0 : 3,
    });
  }
  return fc.record(
    Object.fromEntries(properties.map(([name, each]) => [name, valuesOf(each, root, depth + 1)])),
    {
      requiredKeys: ((schema.required ?? []) as string[]).filter((name) =>
        properties.some(([known]) => known === name),
      ),
    },
  );
}

function integers(schema: JsonSchema): fc.Arbitrary<unknown> {
  const min = limit(schema.minimum ?? plusOne(schema.exclusiveMinimum), Number.MIN_SAFE_INTEGER);
  const max = limit(schema.maximum, Number.MAX_SAFE_INTEGER);
  // Small numbers are those of things that exist.
  const small = fc.integer({ min: Math.max(min, 0), max: Math.max(Math.max(min, 0), Math.min(max, 5)) });
  return fc.oneof({ weight: 3, arbitrary: small }, fc.integer({ min, max }), fc.constantFrom(min, max));
}

function limit(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? Math.ceil(value) : otherwise;
}

function plusOne(value: unknown): number | undefined {
  return typeof value === 'number' ? Math.floor(value) + 1 : undefined;
}

function doubleLimits(schema: JsonSchema): { min: number; max: number } {
  const min = (schema.minimum ?? plusOne(schema.exclusiveMinimum) ?? -1e300) as number;
  return { min, max: (schema.maximum ?? 1e300) as number };
}

function strings(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.contentEncoding === 'base64' || schema.format === 'base64') return fc.base64String();
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  const minLength = (schema.minLength as number | undefined) ?? 0;
  const maxLength = Math.max(minLength, Math.min((schema.maxLength as number | undefined) ?? 40, 40));
  return fc.oneof(
    fc.string({ minLength, maxLength, unit: 'binary' }),
    fc.constantFrom(...['done', 'running', '2g', '1h', 'a'].filter((word) => word.length >= minLength)),
  );
}

const HOSTILE: unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 53),
  '',
  '\0',
  '\ud800',
  '‮',
  '../../etc/passwd',
  "'; drop table job; --",
  '${jndi:ldap://x}',
  '{{7*7}}',
  'a'.repeat(5000),
  [],
  [[[[[]]]]],
  {},
  { constructor: { prototype: { x: 1 } } },
  '__proto__',
  'NaN',
];

/** The value with something in it replaced, left out or added: mostly what the schema does not allow. */
export function broken(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.constantFrom(...HOSTILE), fc.nat(), fc.constantFrom('replace', 'remove', 'add'))
    .map(([original, hostile, at, how]) => mutate(original, hostile, at, how));
}

function mutate(value: unknown, hostile: unknown, at: number, how: string): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return hostile;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[at % keys.length]!;
  if (how === 'add') copy[`extra${at % 3}`] = hostile;
  else if (how === 'remove' && !Array.isArray(value)) delete copy[key];
  else copy[key] = mutate(copy[key], hostile, Math.floor(at / keys.length), how);
  return copy;
}
