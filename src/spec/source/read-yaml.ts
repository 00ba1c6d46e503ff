import type * as Yaml from 'yaml';
import { lazyModule } from '../lazy-module.ts';
import type { Place, SpecPath } from '../problem.ts';
import { LineIndex } from './line-index.ts';
import { readPlainYaml } from './read-plain-yaml.ts';
import type { Locate, SourceDocument } from './source-document.ts';
import { type Notation, offsetInside } from './text-notation.ts';
import { aliasMistake, yamlMistake } from './yaml-mistake.ts';

const yaml = lazyModule<typeof Yaml>('yaml');

/** Aliases may repeat a list a few thousand times; an exponential nest of them is refused. */
const MAX_ALIASES = 20_000;

/** From this length on the time to read a file is felt. */
const LONG = 50_000;

const NOTATIONS: Record<string, Notation> = {
  BLOCK_LITERAL: 'block',
  BLOCK_FOLDED: 'block',
  QUOTE_DOUBLE: 'double',
  QUOTE_SINGLE: 'single',
};

export function readYaml(text: string): SourceDocument {
  const plain = text.length < LONG ? undefined : readPlainYaml(text);
  if (!plain) return readAnyYaml(text);
  let locate: Locate | undefined;
  return {
    ok: true,
    value: plain.value,
    locate: (path, options) => {
      if (!locate) {
        const source = readAnyYaml(text);
        locate = source.ok ? source.locate : () => ({ line: 1, column: 1 });
      }
      return locate(path, options);
    },
  };
}

function readAnyYaml(text: string): SourceDocument {
  const lines = new LineIndex(text);
  const composed = compose(text);
  if ('error' in composed) {
    const { error } = composed;
    return { ok: false, mistakes: [{ ...lines.place(error.pos[0]), message: yamlMistake(error, text) }] };
  }
  const { document } = composed;
  const twice = keysGivenTwice(document).map((key) => {
    const offset = startOf(key) ?? 0;
    return { ...lines.place(offset), message: `the key ${writtenAt(text, offset)} is given twice` };
  });
  if (twice.length > 0) return { ok: false, mistakes: twice };
  const self = aliasOfItself(document, text);
  if (self !== undefined) {
    const message = 'this alias repeats what it is a part of';
    return { ok: false, mistakes: [{ ...lines.place(self), message }] };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { ok: true, value, locate: locator(text, document, lines) };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    const message = aliasMistake(error.message, MAX_ALIASES);
    return { ok: false, mistakes: [{ ...lines.place(unresolvedAlias(document)), message }] };
  }
}

type Composed = { document: Yaml.Document.Parsed } | { error: Yaml.YAMLParseError };

/**
 * As `parseDocument` does it, but ends at the first error: after that the reader has lost its way, and a broken file has
 * an error in each line.
 */
function compose(text: string): Composed {
  const { Composer, Parser, YAMLParseError } = yaml();
  // The package compares each key with all others of its map, which takes minutes for a long one.
  // It prints warnings of its own about keys that are lists or maps; those keys are refused as unknown.
  const composer = new Composer({ merge: true, uniqueKeys: false, logLevel: 'error' });
  let first: Yaml.YAMLParseError | null = null;
  const onError = (source: ErrorPlace, code: Yaml.ErrorCode, message: string, isWarning?: boolean) => {
    if (isWarning) return;
    // The package catches what is thrown, and reports it as an error of its own.
    first ??= new YAMLParseError(rangeOf(source), code, message);
    throw first;
  };
  Object.assign(composer, { onError });
  let document: Yaml.Document.Parsed | null = null;
  try {
    for (const each of composer.compose(new Parser().parse(text), true, text.length)) {
      if (each.errors.length > 0) return { error: each.errors[0]! };
      if (document !== null) {
        const start = each.range[0];
        return { error: new YAMLParseError([start, start], 'MULTIPLE_DOCS', '') };
      }
      document = each;
    }
  } catch (error) {
    if (first === null) throw error;
    return { error: first };
  }
  return { document: document! };
}

/** Where the package says that an error is: an offset, a range, or a token. */
type ErrorPlace = number | [number, number] | { offset: number; source?: string };

function rangeOf(place: ErrorPlace): [number, number] {
  if (typeof place === 'number') return [place, place + 1];
  if (Array.isArray(place)) return [place[0], place[1]];
  return [place.offset, place.offset + (place.source?.length ?? 1)];
}

/** How many keys that are given twice are reported. */
const MOST_TWICE = 20;

function keysGivenTwice(document: Yaml.Document): Yaml.Scalar[] {
  const { isScalar, visit } = yaml();
  const twice: Yaml.Scalar[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key) || typeof key.value === 'symbol') continue;
        if (seen.has(key.value)) twice.push(key);
        seen.add(key.value);
      }
      return twice.length >= MOST_TWICE ? visit.BREAK : undefined;
    },
  });
  return twice.slice(0, MOST_TWICE);
}

function writtenAt(text: string, offset: number): string {
  return /^[^\s:]{1,100}/.exec(text.slice(offset, offset + 100))?.[0] ?? 'this key';
}

/** Offset of the first alias inside its own anchor: such a value has no end. */
function aliasOfItself(document: Yaml.Document, text: string): number | undefined {
  if (!text.includes('&') || !text.includes('*')) return undefined;
  let offset: number | undefined;
  yaml().visit(document, {
    Alias(_, alias, around) {
      const node = alias.resolve(document);
      if (node === undefined || !around.includes(node)) return undefined;
      offset = startOf(alias) ?? 0;
      return yaml().visit.BREAK;
    },
  });
  return offset;
}

/** Offset of the first alias without an anchor; of the start, if it is their number that is wrong. */
function unresolvedAlias(document: Yaml.Document): number {
  let offset = 0;
  yaml().visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      offset = startOf(alias) ?? 0;
      return yaml().visit.BREAK;
    },
  });
  return offset;
}

function locator(text: string, document: Yaml.Document, lines: LineIndex): Locate {
  const { isMap, isSeq, isAlias, isScalar } = yaml();
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);

  const pairsOf = new WeakMap<Yaml.YAMLMap, Map<string, Yaml.Pair>>();
  function ownPair(map: Yaml.YAMLMap, key: string): Yaml.Pair | undefined {
    let pairs = pairsOf.get(map);
    if (pairs === undefined) {
      pairs = new Map();
      for (const pair of map.items) if (isScalar(pair.key)) pairs.set(String(pair.key.value), pair);
      pairsOf.set(map, pairs);
    }
    return pairs.get(key);
  }

  function pairOf(map: Yaml.YAMLMap, key: string | number): Yaml.Pair | undefined {
    const own = ownPair(map, String(key));
    if (own) return own;
    for (const pair of map.items) {
      // The package reads a merge key as a symbol.
      if (!isScalar(pair.key) || typeof pair.key.value !== 'symbol') continue;
      const merged = resolve(pair.value);
      for (const source of isSeq(merged) ? merged.items.map(resolve) : [merged]) {
        const found = isMap(source) ? pairOf(source, key) : undefined;
        if (found) return found;
      }
    }
    return undefined;
  }

  /** The node at the path, or the deepest one on the way to it. */
  function find(path: SpecPath, atKey: boolean): { offset: number; node: unknown; complete: boolean } {
    let node: unknown = document.contents;
    let offset = startOf(node) ?? 0;
    for (const [depth, key] of path.entries()) {
      const parent = resolve(node);
      if (isMap(parent)) {
        const pair = pairOf(parent, key);
        if (!pair) return { offset, node, complete: false };
        const last = depth === path.length - 1;
        node = pair.value;
        const keyStart = startOf(pair.key) ?? offset;
        offset = last && atKey ? keyStart : (startOf(node) ?? keyStart);
      } else if (isSeq(parent) && typeof key === 'number' && key < parent.items.length) {
        node = parent.items[key];
        offset = startOf(node) ?? offset;
      } else {
        return { offset, node, complete: false };
      }
    }
    return { offset, node, complete: true };
  }

  /** A text that an alias repeats stands where it was written. */
  function within(node: unknown, inside: Place): Place | undefined {
    const scalar = resolve(node);
    if (!isScalar(scalar) || typeof scalar.value !== 'string' || !scalar.range) return undefined;
    const [start, end] = scalar.range;
    const notation = NOTATIONS[scalar.type ?? 'PLAIN'] ?? 'plain';
    return lines.place(start + offsetInside(text.slice(start, end), notation, scalar.value, inside));
  }

  return (path, options = {}) => {
    const found = find(path, options.atKey ?? false);
    const inner = options.inside && found.complete ? within(found.node, options.inside) : undefined;
    return inner ?? lines.place(found.offset);
  };
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] | null } | null | undefined)?.range?.[0];
}
