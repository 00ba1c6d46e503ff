import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { COMMAND_GROUPS } from '../../src/cli/help-overview.ts';
import { GLOBAL_OPTIONS } from '../../src/cli/options/global-options.ts';
import { ROOT, readText } from './markdown.ts';
import { withOptionsTable, withTasksTable } from './options-table.ts';

const PAGE = 'docs/cli.md';

/** `npx vitest run test/docs/options.test.ts -u` writes the tables anew. */
test('docs/cli.md has the commands by task, and the options of each as a table, in the words of help', async () => {
  const [head = '', ...sections] = readText(PAGE).split(/^(?=## )/m);
  const optionsOf = new Map(COMMANDS.map(({ usage, options = [] }) => [usage.split(' ')[0]!, options]));
  const written = sections.map((section) => {
    const [, name = ''] = /^## (\S+)/.exec(section)!;
    return withOptionsTable(section, optionsOf.get(name) ?? []);
  });
  const first = withTasksTable(withOptionsTable(head, GLOBAL_OPTIONS), COMMAND_GROUPS);
  const page = [first, ...written].join('');
  await expect(page).toMatchFileSnapshot(join(ROOT, PAGE));
});
