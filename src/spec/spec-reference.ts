import { specJsonSchema } from './json-schema.ts';

interface SchemaNode {
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

const INTRODUCTION = `# Spec reference

A workflow is one file in YAML, JSON or JSON5, told apart by its extension (anything but \`.json\` and
\`.json5\` is YAML). It has either \`jobs\`, a list, or \`steps\`, an object whose order counts. Unknown keys
are errors. \`holdfast validate FILE\` shows every mistake at once with its line and column;
\`holdfast schema\` prints the JSON Schema for editors, from which this page is made.

- **Sizes**: \`512m\`, \`2g\`, \`1.5g\` (k, m, g, t are powers of 1024), or a number of bytes.
- **Durations**: \`30s\`, \`1h30m\`, \`500ms\`, ISO 8601 (\`PT1H30M\`), or a number: seconds in \`jobs\`,
  milliseconds in \`steps\`.
- **Patterns** are RE2; names must match as a whole.

## Jobs

\`\`\`yaml
name: sweep
retry_defaults: { max_retries_failure: 2 }
resource_requirements:
  - { name: small, num_cpus: 1, memory: 512m, runtime: 10m }
files:
  - { name: "result_{i}", path: "out/{i:03d}.json", parameters: { i: "1:100" } }
jobs:
  - name: work_{i}
    command: python work.py --seed {i} > \${files.output.result_{i}}
    resource_requirements: small
    parameters: { i: "1:100" }
  - name: gather
    command: python gather.py out/*.json
    depends_on: ["work_{i}"]
    parameters: { i: "1:100" }
\`\`\`

A sweep makes one job for each combination of values. Expansions with equal names become one job with
all their dependencies, which is how \`gather\` waits for the whole sweep. Files make dependencies by
themselves: what reads a file runs after what writes it.

## Steps

\`\`\`yaml
version: "2.0"
variables: { target: staging }
steps:
  list:
    exec: git diff --name-only HEAD~1
    output: lines
  report:
    exec: |
      ./report --to "{{ variables.target }}" {{ outputs.list | join: "," }}
    retry: { max_retries_failure: 3, initial_delay: 2s }
\`\`\`

Where no step has \`depends_on\`, each runs after the one before it (\`order: graph\` turns that off). The
stdout of a step is its output. \`exec\` with \`{{ … }}\` or \`{% … %}\` is a Liquid template. A value in it
never becomes shell syntax: it is bound to a shell variable, and the placeholder becomes an expansion
that fits the quotes around it. \`{{ x | raw }}\` inserts text as it is. Where the shell would look into a
value (heredocs, backticks, arithmetic, \`\${ … }\`, names of variables, code for \`eval\` or another shell)
a placeholder is refused, with what to write instead. A program that runs its arguments as code, such as
\`ssh\`, still does: give it values through its input. So does a script that uses a variable of its own as
code or as a number after it was given a value.

The output of a step that did not run, such as the other branch of \`a|b\`, is empty as text, false in a
condition and an empty list in a loop. A part that an output lacks is an error (\`| default: …\` says what
to use instead).

## Routes and items

\`\`\`yaml
version: "2.0"
routing: { max_loops: 5 }
steps:
  list:
    exec: ls data
    output: lines
    forEach: true
  convert:
    exec: ./convert "data/{{ outputs.list }}"
    on_fail: { run: [clean], retry: { max: 2 } }
  clean:
    exec: rm -f "tmp/{{ foreach.index }}.part"
  report:
    fanout: reduce
    exec: |
      ./report {{ outputs.convert | size }} done{% for item in failures.convert %} {{ item.key }}{% endfor %}
\`\`\`

What follows a step with \`forEach\` runs once per item of its list, up to a step with \`fanout: reduce\`. A
step that only \`run\` names is on call: it runs when a route calls it. [Failure routing](failure-routing.md)
tells all of it.

## Keys
`;

/** docs/spec.md, made from the schemas; a test keeps the file equal to it. */
export function specReference(): string {
  const schema = specJsonSchema() as SchemaNode;
  const definitions = schema.$defs ?? {};
  const root = schema.$ref ? definitions[nameOf(schema.$ref)]! : schema;
  const order = orderOfMention(root, definitions);
  const tables = order.map((name) => table(name, definitions[name]!, definitions));
  return [INTRODUCTION, table('Workflow', root, definitions), ...tables].join('\n');
}

/** Definitions in the order in which a reader meets them. */
function orderOfMention(root: SchemaNode, definitions: Record<string, SchemaNode>): string[] {
  const found = new Set<string>();
  const visit = (node: SchemaNode | boolean | undefined): void => {
    if (typeof node !== 'object') return;
    if (node.$ref) {
      const name = nameOf(node.$ref);
      if (name === 'Workflow' || found.has(name)) return;
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

function table(name: string, node: SchemaNode, definitions: Record<string, SchemaNode>): string {
  const required = new Set(node.required);
  const rows = Object.entries(node.properties ?? {}).map(([key, child]) => {
    const fallback = required.has(key) ? 'required' : child.default === undefined ? '' : code(child.default);
    const meaning = child.description ?? (child.$ref && definitions[nameOf(child.$ref)]?.description) ?? '';
    return [code(key), typeOf(child), fallback, escaped(meaning)];
  });
  return [`### ${name}\n`, `${node.description ?? ''}\n`, ...aligned(rows), ''].join('\n');
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

function typeOf(node: SchemaNode): string {
  if (node.$ref) {
    const name = nameOf(node.$ref);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (node.title) return node.title;
  if (node.enum) return node.enum.map(code).join(' \\| ');
  if (node.const !== undefined) return code(node.const);
  if (node.anyOf) return [...new Set(node.anyOf.map(typeOf))].join(' or ');
  if (node.type === 'array') return `list of ${node.items ? typeOf(node.items) : 'values'}`;
  if (node.type === 'object') {
    const values = node.additionalProperties;
    return typeof values === 'object' && Object.keys(values).length > 0
      ? `object of ${typeOf(values)}`
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
