import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/contract/records/records.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { readKind } from '../../src/spec/read-kind.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { loadRulebook } from '../../src/spec/request/load-rulebook.ts';
import { makeProject, runCli } from '../cli/run-cli.ts';
import { followPage } from './follow-page.ts';
import { type Fence, fences, markedWith, ROOT, readText } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

const ADRS = readdirSync(join(ROOT, 'docs/adr')).map((file) => `docs/adr/${file}`);
const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);
const ALL = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...PAGES, ...ADRS];

const yamls = PAGES.flatMap((page) =>
  fences(readText(page))
    .filter(({ language }) => language === 'yaml')
    .map((block) => ({ place: `${page}:${block.line}`, block })),
);
const specs = yamls.filter(
  ({ block }) => !block.marks.some((mark) => mark === 'config' || mark === 'rulebook'),
);
const rulebooks = yamls.filter(({ block }) => block.marks.includes('rulebook'));
const configurations = yamls.filter(({ block }) => block.marks.includes('config'));

/** Specs find the rulebook of the pages, and lists of one item. */
function loadAny({ text, marks }: Fence) {
  if (marks.includes('rulebook')) return loadRulebook(text, 'page.yaml');
  const rulebook = yamls.find(({ block }) => block.marks.includes('rulebook'))!.block.text;
  const files = {
    readText: (path: string) => (path.endsWith('.txt') ? 'item\n' : rulebook),
    listFiles: () => ['item'],
  };
  if (readKind(text, 'page.yaml') === 'workflow') return loadSpec(text, 'page.yaml', { files });
  return loadRequest(text, 'page.yaml', files);
}

describe('configurations in the pages', () => {
  test.each(configurations)('the one at $place is valid', async ({ block }) => {
    const cwd = makeProject();
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(join(cwd, '.holdfast/config.yaml'), block.text);
    expect(await runCli(['config', 'show'], { cwd })).toMatchObject({ code: 0 });
  });
});

test.each(rulebooks)('the rulebook at $place is valid', ({ block }) => {
  expect(loadRulebook(block.text, 'rules.yaml')).toMatchObject({ ok: true });
});

describe('what the pages say to do', () => {
  for (const page of [
    'README.md',
    'docs/quick-start.md',
    'docs/cli.md',
    'docs/failure-policy.md',
    'docs/fix-and-resume.md',
    'docs/coming-from.md',
  ]) {
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
      const loaded = loadAny(block);
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
