import { expect, test } from 'vitest';
import { followPage } from '../docs/follow-page.ts';
import { readText } from '../docs/markdown.ts';
import { ReaderShell } from '../docs/reader-shell.ts';

test('what docs/recover.md says to do works in its order', async () => {
  expect(await followPage(readText('docs/recover.md'), new ReaderShell())).toEqual([]);
});
