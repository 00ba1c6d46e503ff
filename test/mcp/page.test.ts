import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { followPage } from '../docs/follow-page.ts';
import { codeWords, readText, sections, tableRows } from '../docs/markdown.ts';
import { ReaderShell } from '../docs/reader-shell.ts';

const page = readText('docs/ai-recovery.md');

describe('docs/ai-recovery.md', () => {
  test('lists every tool, and when it is there', () => {
    const when = { reads: 'always', writes: 'not `--read-only`', opt_in: 'with `--allow` only' };
    const [table] = sections(page, 3).get('Tools')!.split('\n## ');
    const listed = tableRows(table!).map(([tool, there]) => [codeWords(tool!)[0], there]);
    expect(listed).toEqual(TOOLS.map(({ name, kind }) => [name, when[kind]]));
  });

  test('says what works in its order', async () => {
    expect(await followPage(page, new ReaderShell())).toEqual([]);
  });
});
