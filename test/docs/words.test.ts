import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './markdown.ts';

/** Between the words of a phrase, also where a line or a line of a comment ends. */
const GAP = String.raw`(?:\s|\n\s*(?:\*|//|#)\s*)+`;

/** Phrases that read as translated. Software reports, prints, shows, resumes and continues. */
const TRANSLATED = new RegExp(
  [
    String.raw`\btells?\b(?! the user)|\b(?:un)?told\b|\bsomebody\b|\bmend(?:s|ed)?\b`,
    ...[
      'go(?:es|ing)? on',
      'in earnest',
      'has its way',
      'became of',
      'can be reached by others',
      'ready to run',
      '(?:is|are|be|been) judged',
      '(?:is|are) asked for (?:again|once more)',
      'wants (?:a|no) token',
    ].map((phrase) => String.raw`\b${phrase.replaceAll(' ', GAP)}\b`),
  ].join('|'),
  'gi',
);

/** A private language: names and comments as well. */
const METAPHORS =
  /(?<!-)\blanes?\b|\btenures?\b|\bcorrespondences?\b|\bsuccessions?\b|\bheirs?\b|\bburials?\b|\bfading\b/gi;

/** `tellUser`, `TOLD_LINES`, `WorkerTenure`: a phrase as a part of a name. */
const PARTS =
  /\b_?(?:tell|told)(?=[A-Z_])|(?<=[a-z])(?:Tell|Told|Tenure|Correspondence|Succession|Lane|Heir|Burial)(?![a-z])/g;

const DIRECTORIES = [
  'docs',
  'src',
  'web',
  'examples',
  'clients',
  'test',
  'bench',
  'chaos',
  'fuzz',
  '.github',
];

function listFiles(): string[] {
  const below = DIRECTORIES.flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(directory, name),
    ),
  );
  return [...readdirSync(ROOT), ...below];
}

function findPhrases(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return [TRANSLATED, METAPHORS, PARTS]
    .flatMap((phrases) => [...text.matchAll(phrases)])
    .map(({ index, 0: found }) => `${path}:${text.slice(0, index).split('\n').length}: ${found}`);
}

test.each([
  ['pages and decisions', /^(?:docs\/.*|[A-Z]+|clients\/.*)\.md$/, 60],
  [
    'examples, help, messages, descriptions and comments',
    /^(?:src|web|examples|clients)\/.*\.(?:tsx?|mjs|py|yaml|json5|kdl|sh)$/,
    800,
  ],
  ['names of tests, and what they use', /^(?:test|bench|chaos|fuzz)\/.*\.(?:tsx?|mjs|sh)$/, 500],
  [
    'files for building and running',
    /^(?:\.github\/.*\.yml|Dockerfile|compose\.yaml|[a-z-]+\.mjs|package\.json)$/,
    8,
  ],
])('%s are written in plain English', (_, paths, least) => {
  const files = listFiles().filter((path) => paths.test(path) && path !== 'test/docs/words.test.ts');
  expect(files.length).toBeGreaterThan(least);
  expect(files.flatMap(findPhrases)).toEqual([]);
});

test.each([
  ['a sentence', 'it is told once'],
  ['a default', '20 s unless told'],
  ['the name of a test', "test('is judged by its exit code', () => {"],
  ['a refusal', "problem: 'this server wants a token'"],
  ['two lines of a comment', '/**\n * Other branches go\n * on. */'],
  ['the name of a function', 'tellUser(line)'],
  ['the name of a class', 'class WorkerTenure {'],
])('a phrase is found in %s', (_, line) => {
  expect([TRANSLATED, METAPHORS, PARTS].some((phrases) => line.match(phrases) !== null)).toBe(true);
});
