import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../chaos/random.ts';
import { plannedGroups } from '../src/core/model/planned-groups.ts';
import { strictRequestSchema, strictSpecSchema } from '../src/spec/json-schema.ts';
import { loadSpec } from '../src/spec/load-spec.ts';
import type { Problem } from '../src/spec/problem.ts';
import { readKind } from '../src/spec/read-kind.ts';
import { loadRequest } from '../src/spec/request/load-request.ts';
import { readSource } from '../src/spec/source/read-source.ts';
import { sentFiles } from '../src/spec/spec-files.ts';
import { mutateBytes, mutateLines, mutateTree } from './mutate.ts';
import { type Schema, Values } from './values.ts';

const FILES = ['x.yaml', 'x.json', 'x.json5', 'x.kdl'] as const;
const NO_FILES = sentFiles({ texts: {}, lists: {} });

interface Seed {
  text: string;
  file: string;
  tree: unknown;
}

/** Specs of examples and documentation, and what is made of them. */
export class SpecInputs {
  readonly #seeds: Seed[];
  readonly #texts: string[];
  readonly #donors: unknown[];
  readonly #values: { workflow: Values; request: Values };
  readonly #schemas = { workflow: strictSpecSchema() as Schema, request: strictRequestSchema() as Schema };

  constructor(root: string) {
    this.#seeds = readSeeds(root);
    this.#texts = this.#seeds.map(({ text }) => text);
    this.#donors = this.#seeds.flatMap(({ tree }) => parts(tree));
    const words = [...new Set(this.#donors.filter((part): part is string => typeof part === 'string'))];
    this.#values = {
      workflow: new Values(this.#schemas.workflow, words),
      request: new Values(this.#schemas.request, words),
    };
  }

  fromSchema(random: Random): void {
    const kind = random.chance(0.75) ? 'workflow' : 'request';
    const spec = this.#values[kind].draw(this.#schemas[kind], random) as Schema;
    // JSON is YAML, too, and takes three times as long to read as such.
    const file = random.chance(0.2) ? 'x.yaml' : 'x.json';
    load(JSON.stringify(kind === 'request' ? { ...spec, kind } : spec), file);
  }

  mutated(random: Random): void {
    const seed = random.pick(this.#seeds);
    if (random.chance(0.4)) {
      load(mutateLines(seed.text, random, this.#texts), seed.file);
      return;
    }
    let tree = seed.tree;
    for (let left = random.int(1, 3); left > 0; left -= 1) tree = mutateTree(tree, random, this.#donors);
    load(JSON.stringify(tree) ?? '', 'x.json');
  }

  bytes(random: Random): void {
    const { text, file } = random.pick(this.#seeds);
    load(mutateBytes(text, random), random.chance(0.9) ? file : random.pick(FILES));
  }

  /** A spec that may well be valid, for those who submit one. */
  draw(random: Random): string {
    const seed = random.pick(this.#seeds);
    if (random.chance(0.4)) return JSON.stringify(seed.tree);
    return JSON.stringify(mutateTree(seed.tree, random, this.#donors)) ?? '';
  }
}

/** A model, or problems with places; nothing else may happen. */
function load(text: string, file: string): void {
  const isRequest = readKind(text, file) === 'request';
  const loaded = isRequest ? loadRequest(text, file, NO_FILES) : loadSpec(text, file);
  if (!loaded.ok) expectPlaces(loaded.problems, text);
  else if (!isRequest) plannedGroups((loaded as { model: Parameters<typeof plannedGroups>[0] }).model);
}

function expectPlaces(problems: readonly Problem[], text: string): void {
  if (problems.length === 0) throw new Error(`refused without a problem: ${text.slice(0, 2000)}`);
  for (const { line, column, message } of problems) {
    if (!(line > 0 && column > 0) || message === '')
      throw new Error(`a problem without a place: ${line}:${column} ${message}: ${text.slice(0, 2000)}`);
  }
}

function readSeeds(root: string): Seed[] {
  const found: Seed[] = [];
  const add = (text: string, file: string) => {
    const source = readSource(text, file);
    if (source.ok) found.push({ text, file, tree: source.value });
  };
  const below = (directory: string) =>
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(root, directory, name),
    );
  for (const path of below('examples')) {
    const [, extension] = /\.(yaml|json5|kdl)$/.exec(path) ?? [];
    if (extension !== undefined) add(readFileSync(path, 'utf8'), `x.${extension}`);
  }
  for (const path of below('docs').filter((name) => name.endsWith('.md'))) {
    for (const [, text] of readFileSync(path, 'utf8').matchAll(/^```yaml[^\n]*\n(.*?)^```$/gms))
      add(text!, 'x.yaml');
  }
  if (found.length < 20) throw new Error(`only ${found.length} specs were found below ${root}`);
  return found;
}

/** The value and all that is in it. */
function parts(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [value, ...Object.values(value).flatMap(parts)];
}
