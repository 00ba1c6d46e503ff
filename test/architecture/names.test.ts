import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');
const EXPORTED =
  /^export (?:async )?(?:function\*? |const |class |abstract class |interface |type |enum )([\w$]+)/gm;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

test('every exported name has one meaning', () => {
  const places = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, name] of textOf(file).matchAll(EXPORTED)) {
      places.set(name!, (places.get(name!) ?? new Set()).add(file));
    }
  }
  expect(places.size).toBeGreaterThan(500);
  const several = [...places].filter(([, found]) => found.size > 1);
  expect(several.map(([name, found]) => `${name}: ${[...found].join(', ')}`)).toEqual([]);
});

test('what is private has a #, except constructors', () => {
  const others = files.filter((file) => /^ +(?:private|protected) (?!constructor\b)/m.test(textOf(file)));
  expect(others).toEqual([]);
});

test('no signal depends on a timeout that Node 20 may collect before it ends', () => {
  const others = files.filter((file) => /AbortSignal\.any\([^;]*AbortSignal\.timeout\(/.test(textOf(file)));
  expect(others).toEqual([]);
});
