import type { Refusal } from './refusals.ts';

/** The source of every value that a template places. */
export const VALUE = '{{}}';
/** The source of those that are whole numbers: they can be calculated with. */
export const NUMBER = '{{0}}';

/**
 * Where the values of one script may get to: from what is written to variables, files and pipes on to what is read
 * from them. The order of commands is not considered, so that loops and functions need no care.
 */
export class DataFlow {
  readonly #flows = new Map<string, Set<string>>();
  readonly #sinks: { source: string; line: number; refusal: Refusal }[] = [];
  #nodes = 0;

  /** A source without a name in the script: a pipe, the input of a loop. */
  newNode(): string {
    return `#${++this.#nodes}`;
  }

  add(sources: Iterable<string>, target: string): void {
    for (const source of sources) {
      const targets = this.#flows.get(source);
      if (targets) targets.add(target);
      else this.#flows.set(source, new Set([target]));
    }
  }

  /** What comes from these sources is evaluated in this line. */
  evaluate(sources: Iterable<string>, line: number, refusal: Refusal): void {
    for (const source of sources) this.#sinks.push({ source, line, refusal });
  }

  /** The first place at which a value is evaluated. */
  reached(): { line: number; refusal: Refusal } | undefined {
    const values = this.#reachedFrom(VALUE);
    const numbers = this.#reachedFrom(NUMBER);
    const sink = this.#sinks.find(
      ({ source, refusal }) => values.has(source) || (refusal !== 'arithmetic' && numbers.has(source)),
    );
    return sink && { line: sink.line, refusal: sink.refusal };
  }

  #reachedFrom(source: string): ReadonlySet<string> {
    const seen = new Set([source]);
    for (const each of seen) for (const target of this.#flows.get(each) ?? []) seen.add(target);
    return seen;
  }
}

export function variableSource(name: string): string {
  // Functions and `set` fill them; a script has none of its own.
  return /^(?:[@*]|\d+)$/.test(name) ? '$@' : `$${name}`;
}
