import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeWords, ROOT, readText } from './markdown.ts';

/** Keys, fields and options that pages name in backticks; a renamed one would be a claim that is no longer true. */
const NAMES = /\b[a-z]+(?:_[a-z0-9]+)+\b|(?<![\w-])--[a-z][a-z-]+/g;

/** Of other programs, and names of jobs in examples. */
const ELSEWHERE = new Set(
  `--scale --gres --pty --offline --package --prefix --config --forcerun --keep-going --memoized --rerun-triggers --fast pg_restore http_host
   analyse_3 align_1 align_2 min_samples check_storage
   unit_000003 unit_000003_cleanup unit_000003_merge unit_000003_proc_01 unit_000003_proc_02`.split(/\s+/),
);

const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter(
    (name) => name.endsWith('.md') && !/^(?:conformance|architecture|bench|scale|reliability)/.test(name),
  )
  .map((name) => `docs/${name}`);

function sourceText(): string {
  const files = ['src', 'web'].flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(directory, name),
    ),
  );
  return files
    .filter((name) => /\.tsx?$/.test(name))
    .map(readText)
    .join('\n');
}

test('keys, fields and options that pages name exist', () => {
  const source = sourceText();
  const unknown = ['README.md', 'docs/skill/SKILL.md', ...PAGES].flatMap((page) =>
    codeWords(readText(page).replace(/^```.*?^```$/gms, ''))
      .flatMap((code) => code.match(NAMES) ?? [])
      .filter((name) => !ELSEWHERE.has(name) && !source.includes(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});
