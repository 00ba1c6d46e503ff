import type * as Kdl from '@bgotink/kdl';
import type * as KdlVersions from '@bgotink/kdl/v1-compat';
import { lazyModule } from '../lazy-module.ts';
import { KDL_SPEC, type KdlShape } from './kdl-shapes.ts';
import { LineIndex } from './line-index.ts';
import { type Mark, offsetOf } from './read-json5.ts';
import type { Locate, SourceDocument } from './source-document.ts';
import { offsetInside } from './text-notation.ts';

const kdl = lazyModule<typeof Kdl>('@bgotink/kdl');
const versions = lazyModule<typeof KdlVersions>('@bgotink/kdl/v1-compat');

class Mistake extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** KDL, version 2 or 1, in the notation of specs: `job "a" { command "x" }` is an entry of `jobs`. */
export function readKdl(text: string): SourceDocument {
  const lines = new LineIndex(text);
  try {
    const root = block(parse(text).nodes, KDL_SPEC, 0);
    const locate: Locate = (path, options = {}) => {
      const offset = offsetOf(root.mark, path, options.atKey ?? false);
      const written = options.inside ? stringAt(text, offset) : undefined;
      return lines.place(
        offset + (written ? offsetInside(written.literal, 'double', written.value, options.inside!) : 0),
      );
    };
    return { ok: true, value: root.value, locate };
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return { ok: false, mistakes: [{ ...lines.place(error.offset), message: error.message }] };
  }
}

function parse(text: string): Kdl.Document {
  const errors: unknown[] = [];
  // Version 2 first: most of what is right in one version is wrong in the other.
  for (const notation of [kdlModule(), versions()]) {
    try {
      return notation.parse(text, { storeLocations: true });
    } catch (error) {
      errors.push(error);
    }
  }
  throw syntaxMistake(text, errors);
}

function kdlModule(): typeof Kdl {
  try {
    return kdl();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_REQUIRE_ESM') throw error;
    throw new Mistake(0, 'this version of Node cannot read KDL; use Node 20.19, 22.12 or newer, or YAML');
  }
}

/** Both versions of the notation were tried; the one that was meant got further. */
function syntaxMistake(text: string, errors: readonly unknown[]): unknown {
  const { InvalidKdlError } = kdl();
  let offset = 0;
  for (const error of errors) {
    if (!(error instanceof InvalidKdlError)) return error;
    if (error.cause instanceof RangeError) return error.cause;
    const [first = error] = error.flat();
    offset = Math.max(offset, first.start?.offset ?? 0);
  }
  if (offset >= text.length) return new Mistake(offset, 'the file ends before a text or a block is closed');
  const word = /\S+$/.exec(text.slice(0, offset).split('\n').at(-1)!)?.[0] ?? text[offset]!.trim();
  const keyword = /^(?:true|false|null)$/.test(word) ? `; write #${word}, as everywhere in this file` : '';
  return new Mistake(offset, `cannot be read as KDL near ${JSON.stringify(word)}${keyword}`);
}

interface Read {
  value: unknown;
  mark: Mark;
}

/** The nodes of a block as an object, with the place of each key. */
class Collector {
  readonly #entries = new Map<string, { keyStart: number; read: Read }>();

  set(key: string, keyStart: number, read: Read): void {
    if (this.#entries.has(key)) throw new Mistake(keyStart, `the key ${key} is given twice`);
    this.#entries.set(key, { keyStart, read });
  }

  /** Adds to the list at the key. */
  add(key: string, keyStart: number, items: readonly Read[]): void {
    const known = this.#entries.get(key);
    const list = known?.read ?? { value: [], mark: { start: keyStart, items: [] } };
    if (known === undefined) this.#entries.set(key, { keyStart, read: list });
    if (!Array.isArray(list.value)) throw new Mistake(keyStart, `the key ${key} is given twice`);
    for (const { value, mark } of items) {
      list.value.push(value);
      list.mark.items!.push(mark);
    }
  }

  read(start: number): Read {
    const entries = [...this.#entries];
    return {
      value: Object.fromEntries(entries.map(([key, { read }]) => [key, read.value])),
      mark: {
        start,
        keys: new Map(entries.map(([key, { keyStart, read }]) => [key, { keyStart, mark: read.mark }])),
      },
    };
  }
}

function block(nodes: readonly Kdl.Node[], shape: KdlShape, start: number): Read {
  const object = new Collector();
  for (const node of nodes) addNode(object, node, shape);
  return object.read(start);
}

function addNode(object: Collector, node: Kdl.Node, shape: KdlShape): void {
  const name = node.getName();
  const at = startOf(node.name);
  const entry = own(shape.entries, name);
  if (entry !== undefined) {
    object.add(entry.key, at, [namedBlock(node, entry.shape)]);
    return;
  }
  const list = own(shape.lists, name);
  if (list !== undefined && node.children === null) {
    refuseProperties(node);
    const given = node.getArgumentEntries().filter((each) => each.getValue() !== null);
    if (given.length > 0) object.add(list, at, given.map(scalar));
    return;
  }
  const read = contentOf(node, own(shape.blocks, name) ?? {});
  object.set(name, at, shape.json?.includes(name) ? parsedJson(read) : read);
}

/** `job "a" cwd="x" {…}`: the argument is the name. */
function namedBlock(node: Kdl.Node, shape: KdlShape): Read {
  const object = new Collector();
  const [name, ...others] = node.getArgumentEntries();
  if (others.length > 0) throw new Mistake(startOf(others[0]!), `${node.getName()} has one name`);
  if (name !== undefined) object.set('name', startOf(name), scalar(name));
  addProperties(object, node, shape);
  for (const child of node.children?.nodes ?? []) addNode(object, child, shape);
  return object.read(startOf(node.name));
}

/** A block is an object; one argument is a value, several are a list, none is null. */
function contentOf(node: Kdl.Node, shape: KdlShape): Read {
  const values = node.getArgumentEntries();
  if (node.children !== null || node.hasProperties()) {
    if (values.length > 0) {
      throw new Mistake(startOf(values[0]!), `${node.getName()} has either a value or a block, not both`);
    }
    const object = new Collector();
    addProperties(object, node, shape);
    for (const child of node.children?.nodes ?? []) addNode(object, child, shape);
    return object.read(startOf(node.name));
  }
  if (values.length === 0) return { value: null, mark: { start: startOf(node.name) } };
  if (values.length === 1) return scalar(values[0]!);
  const items = values.map(scalar);
  return {
    value: items.map(({ value }) => value),
    mark: { start: items[0]!.mark.start, items: items.map(({ mark }) => mark) },
  };
}

/** `exit_codes=9` means the same as the node `exit_codes 9`. */
function addProperties(object: Collector, node: Kdl.Node, shape: KdlShape): void {
  for (const property of node.getPropertyEntries()) {
    const name = property.getName()!;
    const list = own(shape.lists, name);
    const read = scalar(property);
    if (list !== undefined && read.value !== null) object.add(list, startOf(property), [read]);
    else object.set(name, startOf(property), shape.json?.includes(name) ? parsedJson(read) : read);
  }
}

function refuseProperties(node: Kdl.Node): void {
  const [property] = node.getPropertyEntries();
  if (property !== undefined) throw new Mistake(startOf(property), `${node.getName()} has no keys`);
}

function scalar(entry: Kdl.Entry): Read {
  return { value: entry.getValue(), mark: { start: startOf(entry.value) } };
}

/** Text that is not JSON stays a text. */
function parsedJson({ value, mark }: Read): Read {
  if (typeof value !== 'string') return { value, mark };
  try {
    return { value: JSON.parse(value) as unknown, mark };
  } catch {
    return { value, mark };
  }
}

function startOf(part: Kdl.Identifier | Kdl.Entry | Kdl.Value): number {
  return kdl().getLocation(part)?.start.offset ?? 0;
}

function own<T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The text in plain quotes that begins at an offset, if one does. */
function stringAt(text: string, offset: number): { literal: string; value: string } | undefined {
  STRING.lastIndex = offset;
  const literal = STRING.exec(text)?.[0];
  if (literal === undefined) return undefined;
  const value = kdl().parse(literal, { as: 'value' }).getValue();
  return typeof value === 'string' ? { literal, value } : undefined;
}

const STRING = /"(?!"")(?:[^"\\\n]|\\[\s\S])*"/y;
