import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { manualPage } from '../../src/cli/manual/manual-page.ts';
import { GLOBAL_OPTIONS } from '../../src/cli/options/global-options.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = manualPage(COMMANDS, '1.2.3');
/** As a reader sees it. */
const seen = page
  .replaceAll('\\-', '-')
  .replaceAll('\\(dq', '"')
  .replaceAll('\\(aq', "'")
  .replaceAll('\\(ga', '`')
  .replaceAll('\\&', '')
  .replaceAll('\\e', '\\')
  .replaceAll(/ \\\n +/g, ' ');

test.each(COMMANDS.map((entry) => [entry.usage, entry] as const))('it has %s', (usage, entry) => {
  const start = seen.indexOf(`.SS "holdfast ${usage}"`);
  expect(start).toBeGreaterThan(0);
  const section = seen.slice(start, seen.indexOf('\n.S', start + 1));
  expect(section.toLowerCase()).toContain(entry.summary.toLowerCase());
  for (const [flags, about] of entry.options ?? []) expect(section).toContain(`.B ${flags}\n${about}`);
  for (const example of entry.examples) expect(section).toContain(example);
});

test('it has the options of every command', () => {
  for (const [flags, about] of GLOBAL_OPTIONS) expect(seen).toContain(`.B ${flags}\n${about}`);
});

test('the package has it, and man prints it without a complaint', () => {
  const { man, version } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
  const file = resolve(ROOT, man[0]);
  expect(readFileSync(file, 'utf8')).toBe(manualPage(COMMANDS, version));
  const { error, stdout, stderr } = spawnSync('man', ['--warnings', '-P', 'cat', file], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '100', MANROFFOPT: '-rHY=0' },
  });
  if (error !== undefined || /minimized/.test(stdout)) {
    console.log('there is no man on this machine: the page is compared, and not rendered');
    return;
  }
  expect(stderr).toBe('');
  expect(stdout).toContain('holdfast run <spec-or-id>');
});
