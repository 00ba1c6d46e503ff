import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILD = readFileSync(join(ROOT, 'build.mjs'), 'utf8');

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, 'src', file), 'utf8') }));

const words = (list: string) => [...list.matchAll(/'([^']+)'/g)].map((match) => match[1]!);
const listed = (text: string, name: string) => words(new RegExp(`${name} = \\[([^\\]]*)\\]`).exec(text)![1]!);

const lazy = listed(BUILD, 'const LAZY');

test('every program that is started by its path is one of the build', () => {
  const programs = [...BUILD.matchAll(/^ {2}(\w+): 'src\/[^']+\.ts',$|\{ '(native\/\w+)':/gm)].map(
    (match) => match[1] ?? match[2]!,
  );
  const started = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bbuiltFile\('([\w/]+)'\)/g)].map((match) => match[1]!),
  );
  expect(started.length).toBeGreaterThan(3);
  expect(started.filter((name) => !programs.includes(name))).toEqual([]);
});

test('only package-files.ts says where files are: in the bundle a module is not where its source is', () => {
  const others = sources.filter(({ text }) =>
    /import\.meta\.(?!url\))|new URL\([^)]*import\.meta/.test(
      text.replaceAll('createRequire(import.meta.url)', ''),
    ),
  );
  expect(others.map(({ file }) => file)).toEqual(['core/package-files.ts']);
});

test('the packages that have a file of their own in the build are those that are loaded so', () => {
  const { text } = sources.find(({ file }) => file === 'spec/lazy-module.ts')!;
  expect(listed(text, 'const BUNDLED')).toEqual(lazy);
  const loaded = sources.flatMap(({ text }) =>
    [...text.matchAll(/\blazyModule<[^']+>\('([^']+)'\)/g)].map((match) => match[1]!),
  );
  expect([...new Set(loaded)].toSorted()).toEqual(lazy);
});

test('no package in CommonJS is loaded by import(): in the bundle it would have no named exports', () => {
  const isModule = (name: string) => {
    const { type, exports } = JSON.parse(
      readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
    );
    return type === 'module' || JSON.stringify(exports ?? '').includes('"import"');
  };
  const loaded = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bimport\('([@\w][^':]*)'\)(?!\.)/g)].map((match) => match[1]!),
  );
  expect(loaded).toContain('@clack/prompts');
  expect(loaded.filter((name) => !isModule(name))).toEqual([]);
});

/** What the source maps say is in the build, and what the build leaves to be found in node_modules. */
const maps = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.cjs.map'))
  .flatMap(
    (file) => (JSON.parse(readFileSync(join(ROOT, 'dist', file), 'utf8')) as { sources: string[] }).sources,
  );
const packages = new Set(
  maps.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []),
);

test('the build has the licence of every package that is in it, and all of them allow that', () => {
  const licences = readFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const named = [...licences.matchAll(/^(\S+) \d+\.\S+ \((?:MIT|ISC|BSD-3-Clause|Apache-2\.0)\)$/gm)];
  expect(packages).toContain('fastify');
  expect([...new Set(named.map((match) => match[1]!))].toSorted()).toEqual([...packages].toSorted());
});

test('nothing has to be installed beside the build but optional binaries', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
  const platforms = Object.keys(optionalDependencies);
  expect(platforms).toEqual(['@koromix/koffi-linux-arm64', '@koromix/koffi-linux-x64']);
  const koffi = JSON.parse(readFileSync(join(ROOT, 'node_modules/koffi/package.json'), 'utf8'));
  for (const name of platforms) expect(optionalDependencies[name]).toBe(koffi.version);
});
