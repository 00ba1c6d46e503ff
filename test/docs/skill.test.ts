import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { argumentsOf, commandName, flagsOf } from '../../src/cli/completion/command-words.ts';
import { followPage } from './follow-page.ts';
import { ROOT, readText } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

const skill = readText('docs/skill/SKILL.md');

test('its commands do in this order what it says', async () => {
  expect(await followPage(skill, new ReaderShell())).toEqual([]);
});

test('every command and option that it names exists', () => {
  const named = [...skill.matchAll(/\bholdfast ([a-z][a-z-]*)((?: [^`\n]*)?)/g)].filter(
    ([, command]) => command !== 'help',
  );
  expect(named.length).toBeGreaterThan(20);
  for (const [line, command, rest] of named) {
    const entry = COMMANDS.find((each) => commandName(each) === command);
    expect(entry, line).toBeDefined();
    const flags = flagsOf(entry).flatMap(({ names }) => names);
    for (const [flag] of rest!.matchAll(/(?<= )--?[a-z][a-z-]*/g)) expect(flags, line).toContain(flag);
    if (argumentsOf(entry!).length === 0) expect(rest!.trim(), line).not.toMatch(/^[\w.]/);
  }
});

test('it begins with its name and what it is for, and names pages that are shipped', () => {
  expect(skill).toMatch(/^---\nname: holdfast\ndescription: .{50,1024}\n---\n/);
  const pages = [...skill.matchAll(/`holdfast:\/\/([^`]+)`/g)].map((match) => match[1]!);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});
