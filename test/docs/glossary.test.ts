import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readText, sections, tableRows } from './markdown.ts';

/** Words with a meaning of their own here. Plain ones, such as job or worker, explain themselves. */
const TERMS = [
  'visit',
  'scope',
  'match code',
  'fingerprint',
  'verdict',
  'budget',
  'sweep',
  'errand',
  'placement',
  'lease',
  'fence',
  'guardian',
  'launcher',
  'ledger',
  'rescue',
];

/** For people who read the code, with tables from it, or the glossary itself. */
const OTHERS = /^(?:glossary|architecture|conformance.*|bench|scale|reliability|errors|spec|api)\.md$/;
const PAGES = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && !OTHERS.test(name));

/** Sentences: no headings, tables, blocks or code. */
function proseOf(page: string): string {
  return page
    .replace(/^```.*?^```$/gms, '')
    .replace(/^(?:#|\||<!--).*$/gm, '')
    .replace(/`[^`\n]*`/g, '``');
}

/** Terms whose first use is not a link. A page that has a heading for a word explains it there. */
function unlinkedTerms(page: string): string[] {
  const prose = proseOf(page);
  const headings = page.match(/^#.*$/gm)?.join('\n').toLowerCase() ?? '';
  const links = [...prose.matchAll(/\[[^\]]*\]\([^)]*\)/g)];
  return TERMS.filter((term) => {
    if (headings.includes(term)) return false;
    const first = new RegExp(`\\b${term.replace(' ', '\\s')}s?\\b`, 'i').exec(prose);
    return (
      first !== null &&
      !links.some(({ index, 0: link }) => index < first.index && first.index < index + link.length)
    );
  });
}

test.each(PAGES)('docs/%s links a word of the glossary where it is first used', (name) => {
  expect(unlinkedTerms(readText(`docs/${name}`))).toEqual([]);
});

test('the glossary has every word', () => {
  const words = [...sections(readText('docs/glossary.md'), 2).values()]
    .flatMap(tableRows)
    .map(([word]) => word!.replaceAll('*', ''));
  expect(TERMS.filter((term) => !words.includes(term))).toEqual([]);
});

test.each([
  ['The lease ends.', ['lease']],
  ['A [lease](glossary.md#machines) ends; leases do.', []],
  ['## The lease\n\nThe lease ends.', []],
  ['`lease` is a key.', []],
])('in %j these are not linked: %j', (page, expected) => {
  expect(unlinkedTerms(page)).toEqual(expected);
});
