import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBeside } from '../../src/cli/spec-files.ts';

function world(...files: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-request-files-'));
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), file);
  }
  return root;
}

describe('files beside a spec', () => {
  const names = [
    'b.root',
    'a.root',
    '.c.root',
    'x.txt',
    'n/d.root',
    'n/m/e.root',
    '.h/f.root',
    "it's *.root",
  ];

  test.each<[string, string[]]>([
    ['*.root', ['a.root', 'b.root', "it's *.root"]],
    ['?.root', ['a.root', 'b.root']],
    ['.*.root', ['.c.root']],
    ['*/*.root', ['n/d.root']],
    ['**/*.root', ['a.root', 'b.root', "it's *.root", 'n/d.root', 'n/m/e.root']],
    ['n/**/e.root', ['n/m/e.root']],
    ['n/*', ['n/d.root']],
    ['none/*.root', []],
    ['a.root/*', []],
    ['*a*o*t', ['a.root']],
  ])('%s', (pattern, expected) => {
    const root = world(...names);
    const found = filesBeside(join(root, 'spec.yaml')).listFiles(pattern);
    expect(found).toEqual(expected.map((name) => join(root, name)));
  });

  test('are found through links, and broken links are not files', () => {
    const root = world('a.root');
    symlinkSync('a.root', join(root, 'l.root'));
    symlinkSync('nowhere', join(root, 'm.root'));
    const found = filesBeside(join(root, 'spec.yaml')).listFiles('*.root');
    expect(found).toEqual(['a.root', 'l.root'].map((name) => join(root, name)));
  });

  test('are read relative to the spec, with plain words where that fails', () => {
    const root = world('rules/r.yaml', 's/spec.yaml');
    const files = filesBeside(join(root, 's/spec.yaml'));
    expect(files.readText('../rules/r.yaml')).toBe('rules/r.yaml');
    expect(files.readText(join(root, 'rules/r.yaml'))).toBe('rules/r.yaml');
    expect(() => files.readText('r.yaml')).toThrow('there is no such file');
    expect(() => files.readText('..')).toThrow('it is a directory');
  });

  test('take no time for a pattern with many stars', () => {
    const root = world(`${'a'.repeat(200)}b`);
    const started = performance.now();
    expect(filesBeside(join(root, 's')).listFiles(`${'*a'.repeat(60)}*c`)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
