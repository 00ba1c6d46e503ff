import type * as Yaml from 'yaml';
import { lazyModule } from '../lazy-module.ts';
import type { Place, SpecPath } from '../problem.ts';
import { LineIndex } from './line-index.ts';
import { readPlainYaml } from './read-plain-yaml.ts';
import type { Locate, SourceDocument } from './source-document.ts';
import { type Notation, offsetInside } from './text-notation.ts';

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
  const document = yaml().parseDocument(text, {
    merge: true,
    uniqueKeys: true,
    prettyErrors: false,
    // 'silent' would also silence a second document.
    logLevel: 'error',
  });
  if (document.errors.length > 0) {
    return {
      ok: false,
      mistakes: document.errors.map((error) => ({
        ...lines.place(error.pos[0]),
        message: syntaxMessage(error, text),
      })),
    };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { ok: true, value, locate: locator(text, document, lines) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { ok: false, mistakes: [{ ...lines.place(unresolvedAlias(document)), message: error.message }] };
  }
}

function syntaxMessage(error: Yaml.YAMLParseError, text: string): string {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^[^\s:]+/.exec(text.slice(error.pos[0]))?.[0] ?? 'this key';
    return `the key ${key} is given twice`;
  }
  if (error.code === 'MULTIPLE_DOCS') return 'a spec is one YAML document, but another one starts here';
  return error.message;
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

  function pairOf(map: Yaml.YAMLMap, key: string | number): Yaml.Pair | undefined {
    const own = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
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
