import { expect, test } from 'vitest';
import { readText, sections, tableRows } from './markdown.ts';
import { namedTests } from './named-tests.ts';

const SECTION = 'Where each promise is shown';

test.each(['docs/failure-routing.md', 'docs/ai-recovery.md'])('%s names tests that exist', (page) => {
  const named = tableRows(sections(readText(page), 2).get(SECTION)!).map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !namedTests.includes(`'${name}'`))).toEqual([]);
});
