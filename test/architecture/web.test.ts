import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'dist/web');
const FIRST_PAGE_BYTES = 250 * 1024;

const sources = readdirSync(join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file: `web/${file}`, text: readFileSync(join(ROOT, 'web', file), 'utf8') }));

const localImports = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^import (type )?[^;]*?from '(\.[^']+)'/gm)].map(([, type, path]) => ({
    file,
    isType: type !== undefined,
    target: relative(ROOT, resolve(ROOT, dirname(file), path!)),
  })),
);

test('pages know the contract, the views and pure functions of the core, and no other layer', () => {
  const foreign = localImports.filter(
    ({ target }) => !/^(?:web|src\/(?:contract|views|core))\//.test(target),
  );
  expect(foreign).toEqual([]);
  expect(localImports.some(({ target }) => target.startsWith('src/views/'))).toBe(true);
});

test('of the descriptions of records and operations pages use the types alone: Zod is not for browsers', () => {
  const loaded = localImports.filter(
    ({ target, isType }) =>
      !isType && /^src\/contract\/(?:schemas|operations|endpoint|operation\b)/.test(target),
  );
  expect(loaded).toEqual([]);
  const scripts = readdirSync(join(BUILT, 'assets')).filter((file) => file.endsWith('.js'));
  for (const file of scripts)
    expect(readFileSync(join(BUILT, 'assets', file), 'utf8')).not.toContain('ZodError');
});

test('no page writes markup, evaluates text or stores a token', () => {
  const wrong = sources.filter(({ text }) =>
    /dangerouslySetInnerHTML|innerHTML|\beval\(|new Function|document\.write|document\.cookie|sessionStorage/.test(
      text,
    ),
  );
  expect(wrong.map(({ file }) => file)).toEqual([]);
});

test('files of pages are named and sized as all others', () => {
  const names = sources.map(({ file }) => file.split('/').at(-1)!);
  expect(names.filter((name) => !/^[a-z][a-z0-9-]*\.tsx?$/.test(name))).toEqual([]);
  expect(sources.filter(({ text }) => text.split('\n').length > 250).map(({ file }) => file)).toEqual([]);
  const counts = new Map<string, number>();
  for (const { file } of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});

test('the first page has less than 250 KB, compressed as it is sent', () => {
  const html = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const linked = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
  expect(linked.length).toBeGreaterThan(1);
  const bytes = ['/index.html', ...linked].map((path) => gzipSync(readFileSync(join(BUILT, path))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(FIRST_PAGE_BYTES);
  expect(html).not.toMatch(/<style|<script(?![^>]*\bsrc=)| style=| on\w+=/);
});

test('assets have a hash in their names, and large ones are compressed by the build', () => {
  const assets = readdirSync(join(BUILT, 'assets'));
  expect(assets.filter((name) => !/-[\w-]{8}\.\w+(?:\.gz)?$/.test(name))).toEqual([]);
  const large = assets.filter(
    (name) => !name.endsWith('.gz') && statSync(join(BUILT, 'assets', name)).size > 1024,
  );
  expect(large.filter((name) => !assets.includes(`${name}.gz`))).toEqual([]);
});

test('the licences of the packages in the pages are beside them', () => {
  const licences = readFileSync(join(BUILT, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['react', 'react-dom', '@tanstack/react-query', '@tanstack/react-virtual']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\S+ \\(MIT\\)$`, 'm'));
  }
});
