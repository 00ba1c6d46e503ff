import type { z } from 'zod';

/** Optional keys do not matter to assignability, so that they are compared by themselves. */
type Covers<T, O> = [T] extends [O] ? ([keyof T] extends [keyof O] ? true : false) : false;

/**
 * A schema for a type that is written elsewhere. Compiles only if the two are equal: neither may know a key, or a
 * value of a key, that the other does not.
 */
export function schemaFor<T>() {
  return <S extends z.ZodType<T>>(schema: Covers<T, z.output<S>> extends true ? S : never): S => schema;
}
