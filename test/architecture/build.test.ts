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
const bundled = [...listed(BUILD, 'const BUNDLED'), ...lazy];

test('every program that is started by its path is one of the build', () => {
  const programs = [...BUILD.matchAll(/^ {2}(\w+): 'src\/[^']+\.ts',$/gm)].map((match) => match[1]!);
  const started = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bbuiltFile\('(\w+)'\)/g)].map((match) => match[1]!),
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
    [...text.matchAll(/\blazyModule<[^;]+>\('([^']+)'\)/g)].map((match) => match[1]!),
  );
  expect(lazy.filter((name) => !loaded.includes(name))).toEqual([]);
});

test('no bundled package is loaded by import(): one in CommonJS would then have no named exports', () => {
  const wrong = sources.flatMap(({ file, text }) =>
    bundled.filter((name) => text.includes(`import('${name}')`)).map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('the build has the licence of every package that is in it', () => {
  const licences = readFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const named = [...licences.matchAll(/^(\S+) \d+\.\S+ \((?:MIT|ISC)\)$/gm)].map((match) => match[1]!);
  expect(named).toEqual(bundled.toSorted());
});
