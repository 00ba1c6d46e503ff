import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, sections, tableRows } from './markdown.ts';
import { namedTests } from './named-tests.ts';

test.each(['Failure routing', 'From a failure to a decision'])(
  'docs/conformance.md, %s, names tests that exist',
  (section) => {
    const named = tableRows(sections(readText('docs/conformance.md'), 2).get(section)!).map(
      ([, name]) => name!,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !namedTests.includes(`'${name}'`))).toEqual([]);
  },
);

test('docs/reliability.md names tests and plots that exist, and a test for each promise', () => {
  const page = readText('docs/reliability.md');
  const files = [...page.matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, path]) => path!);
  const plots = [...page.matchAll(/\]\(([^)]+\.svg)\)/g)].map(([, path]) => `docs/${path}`);
  const missing = [...files, ...plots].filter(
    (path) => !existsSync(new URL(`../../${path}`, import.meta.url)),
  );
  expect(missing).toEqual([]);
  for (const section of ['Promises', 'What happens when']) {
    const rows = tableRows(sections(page, 2).get(section)!);
    expect(rows.length).toBeGreaterThan(5);
    for (const [promise, , tests] of rows) expect(tests, promise!).toMatch(/chaos|fuzz|`test\/|health/);
  }
});
