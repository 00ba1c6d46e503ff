import type { z } from 'zod';

/** The part of a schema's definition that leads to what it is made of. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
  options?: z.ZodType[];
}

/**
 * The value without optional keys that are null, which is one way to write that they are not given. Keys that must
 * be given, and values that may be null, stay as they are. The value itself is not changed.
 */
export function withoutNulls(value: unknown, schema: z.ZodType): unknown {
  return hasNull(value) ? clean(value, schema) : value;
}

function hasNull(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.values(value as object).some(hasNull);
}

function clean(value: unknown, schema: z.ZodType): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const element = partOf(schema, 'array')?.element;
    return element === undefined ? value : value.map((item) => clean(item, element));
  }
  const shape = partOf(schema, 'object')?.shape;
  const valueType = partOf(schema, 'record')?.valueType;
  const entries = Object.entries(value).flatMap(([key, child]): [string, unknown][] => {
    const part = shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : valueType;
    if (part === undefined) return [[key, child]];
    return child === null && isAbsentWhereNull(part) ? [] : [[key, clean(child, part)]];
  });
  return Object.fromEntries(entries);
}

/** Asked once of each schema, and not for each of 100,000 jobs. */
const absentWhereNull = new WeakMap<z.ZodType, boolean>();

function isAbsentWhereNull(schema: z.ZodType): boolean {
  const known = absentWhereNull.get(schema);
  if (known !== undefined) return known;
  const isAbsent = definitionOf(schema).type === 'optional' && !schema.safeParse(null).success;
  absentWhereNull.set(schema, isAbsent);
  return isAbsent;
}

/** The schema itself, or the alternative of a union, that describes values of this kind. */
function partOf(schema: z.ZodType, kind: 'array' | 'object' | 'record'): Definition | undefined {
  const definition = definitionOf(schema);
  if (definition.type === kind) return definition;
  if (definition.innerType !== undefined) return partOf(definition.innerType, kind);
  for (const option of definition.options ?? []) {
    const found = partOf(option, kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}
