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
