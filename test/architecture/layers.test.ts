import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** Each layer and the layers that it imports from, besides itself. The page on the architecture has the same table. */
const IMPORTS: Record<string, string[]> = {
  core: [],
  contract: ['core'],
  host: ['core', 'contract'],
  spec: ['core'],
  sandbox: ['core'],
  store: ['core', 'contract'],
  engine: ['core', 'contract', 'host', 'spec', 'store'],
  worker: ['core', 'contract', 'host', 'spec', 'sandbox'],
  server: ['core', 'contract', 'host', 'spec', 'engine', 'simulate'],
  client: ['core', 'contract', 'spec'],
  clusters: ['core', 'contract', 'host'],
  notify: ['core', 'contract'],
  views: ['core', 'contract'],
  simulate: ['core', 'contract', 'host', 'spec', 'engine', 'worker', 'views'],
  mcp: ['core', 'contract', 'spec', 'server', 'views'],
  cli: [
    ...['core', 'contract', 'host', 'spec', 'store', 'engine', 'worker'],
    ...['server', 'client', 'clusters', 'notify', 'views', 'simulate', 'mcp'],
  ],
  'index.ts': ['core', 'contract', 'spec', 'engine', 'worker', 'client'],
};

const MOST_FILES_IN_A_FOLDER = 20;

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
const folderOf = (file: string) => dirname(file);

const ARCHITECTURE = readFileSync(resolve(SRC, '../docs/architecture.md'), 'utf8');

/** Every layer that the layer knows, directly or not. */
function reachable(layer: string, seen = new Set<string>()): Set<string> {
  for (const target of IMPORTS[layer]!) {
    if (seen.has(target)) continue;
    seen.add(target);
    reachable(target, seen);
  }
  return seen;
}

/** Circles among groups of the files that are asked about. */
function cyclesBetween(groupOf: (file: string) => string, isAsked: (file: string) => boolean): string[] {
  const edges = new Map<string, Set<string>>();
  for (const file of files.filter(isAsked)) {
    const targets = edges.get(groupOf(file)) ?? new Set();
    edges.set(groupOf(file), targets);
    for (const target of localImports(file).filter(isAsked)) {
      if (groupOf(target) !== groupOf(file)) targets.add(groupOf(target));
    }
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (group: string, path: string[]) => {
    const seen = path.indexOf(group);
    if (seen >= 0) {
      cycles.push([...path.slice(seen), group].join(' -> '));
      return;
    }
    if (done.has(group)) return;
    for (const target of edges.get(group) ?? []) visit(target, [...path, group]);
    done.add(group);
  };
  for (const group of edges.keys()) visit(group, []);
  return cycles;
}

describe('the layers', () => {
  test('every file belongs to a known layer', () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in IMPORTS))).toEqual([]);
  });

  test('the folders that the page lists are there, and every folder of the engine is listed', () => {
    const listed = [...ARCHITECTURE.matchAll(/^\| `([\w/]+)\/` /gm)].map((match) => match[1]!);
    const folders = new Set(files.flatMap((file) => [folderOf(file), dirname(folderOf(file))]));
    expect(listed.filter((folder) => !folders.has(folder) && !folders.has(`engine/${folder}`))).toEqual([]);
    const ofEngine = [...new Set(files.map(folderOf))].filter((folder) => folder.startsWith('engine/'));
    expect(ofEngine.filter((folder) => !listed.includes(folder.slice('engine/'.length)))).toEqual([]);
  });

  test('each layer imports from the layers in the table, and from every one of them', () => {
    const used = new Map<string, Set<string>>(Object.keys(IMPORTS).map((layer) => [layer, new Set()]));
    for (const file of files) {
      for (const target of localImports(file)) used.get(layerOf(file))!.add(layerOf(target));
    }
    const found = [...used].map(([layer, targets]) => [
      layer,
      [...targets].filter((to) => to !== layer).sort(),
    ]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(IMPORTS).map(([layer, targets]) => [layer, targets.toSorted()])),
    );
  });

  test('the phases of the engine do not know each other in circles', () => {
    expect(cyclesBetween(folderOf, (file) => layerOf(file) === 'engine')).toEqual([]);
  });

  test('no folder has more files than a person can look over', () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MOST_FILES_IN_A_FOLDER)).toEqual([]);
  });

  test('the page on the architecture has the same table, and draws it', () => {
    const rows = [...ARCHITECTURE.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\| [^|]+\|$/gm)].map((row) => [
      row[1]!,
      row[2] === '-' ? [] : row[2]!.split(', ').toSorted(),
    ]);
    const layers = Object.entries(IMPORTS).filter(([layer]) => layer !== 'index.ts');
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(layers.map(([layer, targets]) => [layer, targets.toSorted()])),
    );
    const [drawing] = /```mermaid\nflowchart TD[\s\S]*?```/.exec(ARCHITECTURE)!;
    const drawn = [...drawing.matchAll(/^ +(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} -> ${to}`);
    const direct = layers.flatMap(([layer, targets]) =>
      targets
        .filter((to) => !targets.some((other) => other !== to && reachable(other).has(to)))
        .map((to) => `${layer} -> ${to}`),
    );
    expect(drawn.toSorted()).toEqual(direct.toSorted());
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
    expect(
      cyclesBetween(
        (file) => file,
        () => true,
      ),
    ).toEqual([]);
  });

  test('commands that only look something up load neither zod nor yaml, which take longer than they do', () => {
    const asked = [
      'cli/main.ts',
      'cli/open-context.ts',
      'cli/commands/look/jobs.ts',
      'engine/open-engine.ts',
    ];
    const loaded = new Set(asked);
    for (const file of loaded) for (const target of localImports(file, STATIC)) loaded.add(target);
    expect(loaded).toContain('engine/local-engine.ts');
    const slow = [...loaded].filter((file) => /^(zod|yaml)$/m.test(importsOf(file, STATIC).join('\n')));
    expect(slow).toEqual([]);
  });

  test('run starts its launcher before it loads zod and the descriptions of endpoints', () => {
    const loaded = new Set(['cli/main.ts', 'cli/commands/run/run.ts']);
    for (const file of loaded) for (const target of localImports(file, STATIC)) loaded.add(target);
    expect(loaded).toContain('worker/execute/launchers.ts');
    expect([...loaded].filter((file) => importsOf(file, STATIC).includes('zod'))).toEqual([]);
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

  test('views run in a browser: what they load uses no package, no module of Node and no global of it', () => {
    const loaded = new Set(files.filter((file) => layerOf(file) === 'views'));
    expect(loaded.size).toBeGreaterThan(0);
    for (const file of loaded) for (const target of localImports(file, STATIC)) loaded.add(target);
    const bound = [...loaded].filter((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      return (
        importsOf(file, STATIC).some((specifier) => !specifier.startsWith('.')) ||
        /\bBuffer\.|\bprocess\.\w|\b__dirname\b|\brequire\(/.test(text)
      );
    });
    expect(bound).toEqual([]);
  });

  test('holdfast post, which starts for every attempt of a DAG, loads no package and no other command', () => {
    const loaded = new Set<string>();
    const follow = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const target of localImports(file, STATIC)) follow(target);
    };
    follow('cli/post/post-program.ts');
    const packages = [...loaded].flatMap((file) =>
      importsOf(file, STATIC).filter((specifier) => !/^(?:\.|node:)/.test(specifier)),
    );
    expect(packages).toEqual([]);
    const folders = new Set([...loaded].map((file) => dirname(file)));
    expect([...folders].filter((folder) => !/^host$|^(?:core|worker)\/|^cli\/post$/.test(folder))).toEqual(
      [],
    );
  });

  test('views take records and return data: they ask no engine, and have no clock, colours or commands', () => {
    const impure = files
      .filter((file) => layerOf(file) === 'views')
      .filter((file) => {
        const text = readFileSync(join(SRC, file), 'utf8');
        return (
          localImports(file).includes('contract/engine.ts') ||
          /\basync\b|\bDate\.now\b|\bnew Date\(\)|\\x1b\[|[`'"]holdfast /.test(text)
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
