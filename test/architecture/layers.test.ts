import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** Each layer and the layers it may import from, besides itself. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  spec: ['core'],
  sandbox: ['core'],
  store: ['core', 'spec'],
  engine: ['core', 'spec', 'sandbox', 'store'],
  worker: ['core', 'spec', 'sandbox', 'store', 'engine'],
  api: ['core', 'spec'],
  server: ['core', 'spec', 'store', 'engine', 'api'],
  client: ['core', 'spec', 'api'],
  mcp: ['core', 'spec', 'store', 'engine', 'worker', 'api', 'server', 'client'],
  cli: ['core', 'spec', 'sandbox', 'store', 'engine', 'worker', 'api', 'server', 'client', 'mcp'],
  'index.ts': ['core', 'spec', 'engine', 'worker', 'client'],
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();

const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const specifiers = [
    ...text.matchAll(/\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm),
  ];
  return specifiers.map((match) => match[1] ?? match[2] ?? match[3]!);
}

function localImports(file: string): string[] {
  return imports
    .get(file)!
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(SRC, resolve(SRC, dirname(file), specifier)));
}

const layerOf = (file: string) => file.split('/')[0]!;

describe('the layers', () => {
  test('every file belongs to a known layer', () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in MAY_IMPORT))).toEqual([]);
  });

  test('imports point down only', () => {
    const upward = files.flatMap((file) =>
      localImports(file)
        .filter(
          (target) =>
            layerOf(target) !== layerOf(file) && !MAY_IMPORT[layerOf(file)]!.includes(layerOf(target)),
        )
        .map((target) => `${file} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test('every local import names an existing file', () => {
    const missing = files.flatMap((file) =>
      localImports(file)
        .filter((target) => !imports.has(target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test('there is no import cycle', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      const seen = path.indexOf(file);
      if (seen >= 0) {
        cycles.push([...path.slice(seen), file].join(' -> '));
        return;
      }
      if (done.has(file)) return;
      for (const target of localImports(file)) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test('core has no I/O, no clock and no randomness of its own', () => {
    const impure = files
      .filter((file) => layerOf(file) === 'core')
      .filter((file) => {
        const text = readFileSync(join(SRC, file), 'utf8');
        return (
          imports.get(file)!.some((specifier) => !specifier.startsWith('.')) ||
          /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.\w|\bperformance\.\w|\bsetTimeout\b|\bfetch\(/.test(
            text,
          )
        );
      });
    expect(impure).toEqual([]);
  });

  test('no file is over 400 lines', () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(join(SRC, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });
});
