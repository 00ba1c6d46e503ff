import type { Random } from '../chaos/random.ts';

export type Schema = Record<string, unknown>;

/** Texts that specs and requests give a meaning to, and some that nothing should. */
const TEXTS = [
  ...[
    'a',
    'b',
    'c',
    'a{i}',
    'a|b',
    '1:3',
    '1:100000',
    '[a, b]',
    '10s',
    '2h',
    'PT5M',
    '4g',
    'x1.5',
    '-1',
    '0',
    '1e9',
  ],
  ...[
    '${variables.a}',
    '${files.input.a}',
    '{{ outputs.a }}',
    '{{ outputs.a | join }}',
    '{% if a %}',
    '{items}',
  ],
  ...[
    '{first}',
    '{output}',
    '.*',
    '(a+)+$',
    '((',
    '[a-',
    '*.txt',
    'done',
    'running',
    'failed',
    'retry',
    'none',
  ],
  ...[
    'reduce',
    'name:1',
    '1',
    'true',
    'null',
    '__proto__',
    'constructor',
    'output < 3 ? "a" : null',
    'while(1);',
  ],
  ...['echo hello', 'exit 3', '\0', '\ud800', '‮', '../../etc/passwd', "'; drop table job; --", 'é', ''],
];
const NUMBERS = [0, 1, 2, 3, 5, -1, 1.5, 100, 65_536, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308];

/** What no schema here allows at most places. */
export function hostile(random: Random): unknown {
  return random.pick<unknown>([
    ...[null, true, [], {}, [[[[]]]], 'a'.repeat(5000), { constructor: { prototype: { x: 1 } } }],
    ...TEXTS,
    ...NUMBERS,
  ]);
}

export function anyText(random: Random, words: readonly string[]): string {
  return words.length > 0 && random.chance(0.5) ? random.pick(words) : random.pick(TEXTS);
}

/** Draws values that a JSON Schema allows, mostly; fast rather than even. */
export class Values {
  readonly #root: Schema;
  readonly #words: readonly string[];

  constructor(root: Schema, words: readonly string[] = []) {
    this.#root = root;
    this.#words = words;
  }

  draw(schema: Schema, random: Random, depth = 0): unknown {
    if (typeof schema.$ref === 'string') return this.draw(this.#resolve(schema.$ref), random, depth);
    if (random.chance(0.005)) return hostile(random);
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return random.pick(schema.enum);
    const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
    if (choices !== undefined) return this.draw(random.pick(choices), random, depth);
    const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
    switch (type) {
      case 'integer':
      case 'number':
        return this.#number(schema, random, type === 'integer');
      case 'string':
        return anyText(random, this.#words);
      case 'boolean':
        return random.chance(0.5);
      case 'null':
        return null;
      case 'array': {
        const length = Math.max(Number(schema.minItems ?? 0), depth > 5 ? 0 : random.int(0, 3));
        return Array.from({ length }, () => this.draw((schema.items ?? {}) as Schema, random, depth + 1));
      }
      case 'object':
        return this.#object(schema, random, depth);
      default:
        return hostile(random);
    }
  }

  #resolve(reference: string): Schema {
    let found: unknown = this.#root;
    for (const part of reference.slice(2).split('/').filter(Boolean)) found = (found as Schema)[part];
    return found as Schema;
  }

  #number(schema: Schema, random: Random, whole: boolean): number {
    const min = Number(schema.minimum ?? 0);
    if (random.chance(0.1)) return random.pick([min, Number(schema.maximum ?? 1e15), ...NUMBERS]);
    return min + random.int(0, 5) + (whole ? 0 : random.pick([0, 0.25]));
  }

  #object(schema: Schema, random: Random, depth: number): unknown {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    const required = new Set((schema.required ?? []) as string[]);
    const share = depth > 5 ? 0 : Math.min(0.5, 4 / Math.max(1, properties.length));
    const made: Schema = {};
    for (const [name, each] of properties) {
      if (required.has(name) || random.chance(share)) put(made, name, this.draw(each, random, depth + 1));
    }
    const more = schema.additionalProperties;
    if (typeof more === 'object' && more !== null && depth <= 5) {
      for (let left = random.int(0, 2); left > 0; left -= 1)
        put(made, anyText(random, this.#words), this.draw(more as Schema, random, depth + 1));
    }
    return made;
  }
}

/** `__proto__` becomes a key like any other. */
function put(target: Schema, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
