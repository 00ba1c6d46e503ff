import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requestEndpoints } from '../../src/contract/operations/request-endpoints.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import {
  MAX_ACTIVE_REQUESTS,
  REQUEST_TRANSITIONS,
  ROUND_TRANSITIONS,
} from '../../src/core/request/request-states.ts';
import { followPage } from './follow-page.ts';
import { codeWords, fences, ROOT, readText, sections, tableRows } from './markdown.ts';
import { namedTests } from './named-tests.ts';
import { ReaderShell } from './reader-shell.ts';

const page = readText('docs/requests.md');
const parts = sections(page, 2);

describe('docs/requests.md', () => {
  test('works when it is followed', async () => {
    const shell = new ReaderShell();
    cpSync(join(ROOT, 'examples/requests'), shell.directory, { recursive: true });
    expect(await followPage(page, shell)).toEqual([]);
  });

  test('draws exactly the transitions of requests and rounds that the engine makes', () => {
    const diagrams = fences(parts.get('States')!).map(({ text }) =>
      [...text.matchAll(/^ *(\w+) --> (\w+): (.+)$/gm)].map(([, from, to, when]) => ({ from, to, when })),
    );
    expect(diagrams).toEqual([REQUEST_TRANSITIONS, ROUND_TRANSITIONS]);
  });

  test('lists every setting with its default', () => {
    const listed = tableRows(parts.get('Settings')!).map(([key, value]) => [codeWords(key!)[0], value]);
    const known = Object.entries(DEFAULT_ERROR_SETTINGS).map(([key, value]) => [key, String(value)]);
    expect(listed).toEqual(known);
    expect(parts.get('Settings')).toContain(`\`max_active_requests\` (default: ${MAX_ACTIVE_REQUESTS})`);
  });

  test('lists every path of the API', () => {
    const listed = tableRows(parts.get('What operators do')!).map(([, path]) => codeWords(path!)[0]);
    const known = Object.values(requestEndpoints).map(
      ({ method, path }) => `${method} ${path.replace('/api/v1', '')}`,
    );
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});

describe('docs/conformance-requests.md', () => {
  const chapters = sections(readText('docs/conformance-requests.md'), 2);
  const decisions = chapters.get('Decisions of the specification')!;
  const rows = [...chapters.values()].filter((text) => text !== decisions).flatMap(tableRows);

  test('has all 116 statements and the ten decisions', () => {
    expect(rows.map(([number]) => Number(number))).toEqual(
      Array.from({ length: 116 }, (_, index) => index + 1),
    );
    expect(tableRows(decisions).map(([name]) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `EH-${index + 1}`),
    );
  });

  test('names tests that exist', () => {
    const named = [...tableRows(decisions), ...rows].flatMap((row) => row.at(-1)!.split('<br>'));
    const missing = named.filter((name) => !namedTests.includes(`'${name}'`));
    expect(missing).toEqual([]);
  });
});
