import type { SchemaNode } from './json-schema.ts';

/** Definitions whose tables are on another page, and the page. */
type Elsewhere = ReadonlyMap<string, string>;

/** One table of keys for each object of a schema, in Markdown, the whole file first. */
export function schemaTables(
  schema: SchemaNode,
  heading = '###',
  elsewhere: Elsewhere = new Map(),
): string[] {
  const definitions = schema.$defs!;
  const start = nameOf(schema.$ref!);
  const order = [start, ...orderOfMention(start, definitions, elsewhere)];
  return order.map((name) => `${heading} ${table(name, definitions, elsewhere)}`);
}

/** Definitions in the order in which a reader meets them. */
function orderOfMention(
  start: string,
  definitions: Record<string, SchemaNode>,
  elsewhere: Elsewhere,
): string[] {
  const found = new Set<string>();
  const root = definitions[start]!;
  const visit = (node: SchemaNode | boolean | undefined): void => {
    if (typeof node !== 'object') return;
    if (node.$ref) {
      const name = nameOf(node.$ref);
      if (name === start || found.has(name) || elsewhere.has(name)) return;
      found.add(name);
      visit(definitions[name]);
      return;
    }
    for (const child of Object.values(node.properties ?? {})) visit(child);
    for (const child of node.anyOf ?? []) visit(child);
    visit(node.items);
    visit(node.additionalProperties);
  };
  const { jobs, steps, ...rest } = root.properties ?? {};
  for (const child of [jobs, steps, ...Object.values(rest)]) visit(child);
  return [...found];
}

function table(name: string, definitions: Record<string, SchemaNode>, elsewhere: Elsewhere): string {
  const node = definitions[name]!;
  const required = new Set(node.required);
  const rows = Object.entries(node.properties ?? {}).map(([key, child]) => {
    const fallback = required.has(key) ? 'required' : child.default === undefined ? '' : code(child.default);
    const meaning = child.description ?? (child.$ref && definitions[nameOf(child.$ref)]?.description) ?? '';
    return [code(key), typeOf(child, elsewhere), fallback, escaped(meaning)];
  });
  return [`${name}\n`, `${node.description ?? ''}\n`, ...aligned(rows), ''].join('\n');
}

/** Rows of a Markdown table, padded as the formatter of this repository pads them. */
function aligned(rows: string[][]): string[] {
  const cells = [['key', 'type', 'default', 'meaning'], ...rows];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...body] = cells;
  return [line(head!), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}

function typeOf(node: SchemaNode, elsewhere: Elsewhere): string {
  const inner = (part: SchemaNode) => typeOf(part, elsewhere);
  if (node.$ref) {
    const name = nameOf(node.$ref);
    return `[${name}](${elsewhere.get(name) ?? ''}#${name.toLowerCase()})`;
  }
  if (node.title) return node.title;
  if (node.enum) return node.enum.map(code).join(' \\| ');
  if (node.const !== undefined) return code(node.const);
  if (node.anyOf) return [...new Set(node.anyOf.map(inner))].join(' or ');
  if (node.type === 'array') return `list of ${node.items ? inner(node.items) : 'values'}`;
  if (node.type === 'object') {
    const values = node.additionalProperties;
    return typeof values === 'object' && Object.keys(values).length > 0
      ? `object of ${inner(values)}`
      : 'object';
  }
  return (
    [node.type ?? []]
      .flat()
      .map((type) => WORDS[type])
      .join(' or ') || 'anything'
  );
}

const WORDS: Record<string, string> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
};

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
