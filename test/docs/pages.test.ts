import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/core/records.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { makeProject, runCli } from '../cli/run-cli.ts';
import { followPage } from './follow-page.ts';
import { fences, markedWith, ROOT, readText } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

const ADRS = readdirSync(join(ROOT, 'docs/adr')).map((file) => `docs/adr/${file}`);
const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);
const ALL = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...PAGES, ...ADRS];

const specs = PAGES.flatMap((page) =>
  fences(readText(page))
    .filter(({ language }) => language === 'yaml')
    .map((block) => ({ place: `${page}:${block.line}`, block })),
);

describe('what the pages say to do', () => {
  for (const page of ['README.md', 'docs/quick-start.md', 'docs/cli.md', 'docs/failure-policy.md']) {
    // Most of their time they wait. A page is one test, however long: what it says later builds on what it said before.
    test.concurrent(`works in the order of ${page}`, { timeout: 600_000 }, async ({ expect }) => {
      expect(await followPage(readText(page), new ReaderShell())).toEqual([]);
    });
  }
});

describe('specs in the pages', () => {
  for (const { place, block } of specs) {
    const mistaken = block.marks.includes('mistaken');
    test(`the one at ${place} is ${mistaken ? 'refused' : 'valid'}`, () => {
      const loaded = loadSpec(block.text, 'page.yaml');
      expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toHaveLength(mistaken ? 4 : 0);
    });
    if (!block.marks.includes('run')) continue;
    const exit = Number(markedWith(block, 'exit') ?? 0);
    const causes = markedWith(block, 'causes')!.split(',').filter(Boolean);
    test.concurrent(`the one at ${place} exits with ${exit} after failures by ${causes.join(', ') || 'nothing'}`, async ({
      expect,
    }) => {
      const cwd = makeProject({ 'page.yaml': block.text });
      const { code, stderr } = await runCli(['run', 'page.yaml'], { cwd });
      expect(code, stderr).toBe(exit);
      const { stdout } = await runCli(['attempts', '1', '--output', 'json'], { cwd });
      const attempts = JSON.parse(stdout) as AttemptRecord[];
      expect(attempts.flatMap(({ cause }) => cause ?? [])).toEqual(causes);
      const rules = markedWith(block, 'rules')?.split(',');
      if (rules !== undefined) expect(attempts.map(({ rule }) => rule)).toEqual(rules);
    });
  }
});

describe('links', () => {
  test.each(ALL)('of %s lead somewhere', (page) => {
    const dead = [...readText(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => match[1]!.replace(/\s+/g, ' '))
      .filter((target) => !target.includes('://') && !leadsSomewhere(page, target));
    expect(dead).toEqual([]);
  });
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || headingAnchors(readText(file)).includes(anchor);
}

function headingAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
