import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './markdown.ts';

/** Phrases that read as translated. Software reports, prints, shows, resumes and continues. */
const PHRASES =
  /unless told|\btells?\b(?! the user)|\btold\b|\bgo(?:es|ing)? on\b|\bsomebody\b|\bmend(?:s|ed)?\b|in earnest|has its way|became of/gi;

/** Names of tests are quoted there. */
const CONFORMANCE = /^docs\/(?:conformance|adr\/)/;

function filesBelow(directory: string, ending: RegExp): string[] {
  const names = readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => ending.test(name)).map((name) => join(directory, name));
}

function findPhrases(path: string): string[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    [...line.matchAll(PHRASES)].map(([found]) => `${path}:${index + 1}: ${found}`),
  );
}

test('pages and examples are written in plain English', () => {
  const pages = [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...filesBelow('docs', /\.md$/),
    ...filesBelow('examples', /\.(?:yaml|json5|kdl|mjs|ts|sh)$/),
  ];
  const read = pages.filter((path) => !CONFORMANCE.test(path));
  expect(read.length).toBeGreaterThan(30);
  expect(read.flatMap(findPhrases)).toEqual([]);
});

test('so are help, messages and comments', () => {
  const files = [...filesBelow('src', /\.ts$/), ...filesBelow('web', /\.tsx?$/)];
  expect(files.length).toBeGreaterThan(800);
  expect(files.flatMap(findPhrases)).toEqual([]);
});
