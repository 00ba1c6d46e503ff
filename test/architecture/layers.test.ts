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

const ANY = /\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm;
/** Those that are followed as soon as the file is loaded; types are not. */
const STATIC = /^(?:import|export)(?!\s+type\b)[^;']*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'/gm;

const imports = new Map(files.map((file) => [file, importsOf(file, ANY)]));

function importsOf(file: string, pattern: RegExp): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3]!);
}

function localImports(file: string, pattern?: RegExp): string[] {
  return (pattern === undefined ? imports.get(file)! : importsOf(file, pattern))
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

  test('commands that only look something up load neither zod nor yaml, which take longer than they do', () => {
    const asked = ['cli/main.ts', 'cli/open-context.ts', 'cli/commands/jobs.ts', 'engine/open-engine.ts'];
    const loaded = new Set(asked);
    for (const file of loaded) for (const target of localImports(file, STATIC)) loaded.add(target);
    expect(loaded).toContain('engine/local-engine.ts');
    const slow = [...loaded].filter((file) => /^(zod|yaml)$/m.test(importsOf(file, STATIC).join('\n')));
    expect(slow).toEqual([]);
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
