import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');

test('docs/api.md lists every endpoint as the server has it', () => {
  const rows = [...page.matchAll(/^\| `([A-Z]+ \S+)` +\| (\w+) +\| (.+?) +\|$/gm)].map((match) =>
    match.slice(1),
  );
  expect(rows).toEqual(
    ENDPOINTS.map(([, { method, path, role, summary }]) => [`${method} ${path}`, role ?? 'anybody', summary]),
  );
});
