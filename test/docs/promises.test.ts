import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readText, sections, tableRows } from './markdown.ts';

const SECTION = 'Where each promise is shown';

const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readText(`test/${file}`))
  .join('\n');

test.each(['docs/failure-routing.md', 'docs/ai-recovery.md'])('%s names tests that exist', (page) => {
  const named = tableRows(sections(readText(page), 2).get(SECTION)!).map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
});
