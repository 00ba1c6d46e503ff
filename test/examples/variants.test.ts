import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/contract/records/records.ts';
import { makeProject, runCli } from '../cli/run-cli.ts';
import { readText, sections, tableRows } from '../docs/markdown.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/variants');
const PAGE = 'docs/fix-and-resume.md';

const cwd = makeProject();
const at = (name: string) => join(cwd, name);

/** Replaces a text of the spec that is there once. */
function edit(from: string, to: string): void {
  const spec = readFileSync(at('variants.yaml'), 'utf8');
  expect(spec.split(from)).toHaveLength(2);
  writeFileSync(at('variants.yaml'), spec.replace(from, to));
}

/** A row of the table in the page. */
interface Story {
  break: () => void;
  /** How many jobs ran, and how the command ended. */
  broken: { code: number; ran: number };
  fix: () => void;
}

const STORIES: Story[] = [
  {
    break: () => renameSync(at('genome.txt'), at('elsewhere')),
    broken: { code: 2, ran: 0 },
    fix: () => renameSync(at('elsewhere'), at('genome.txt')),
  },
  {
    break: () => edit('sort -n {input} > {output}', 'srot -n {input} > {output}'),
    broken: { code: 1, ran: 20 },
    fix: () => edit('srot', 'sort'),
  },
  {
    break: () => {
      copyFileSync(at('reads/S07.txt'), at('S07'));
      writeFileSync(at('reads/S07.txt'), 'A truncated read\n');
    },
    broken: { code: 1, ran: 1 },
    fix: () => copyFileSync(at('S07'), at('reads/S07.txt')),
  },
  {
    break: () => {
      rmSync(at('plot.txt'));
      mkdirSync(at('plot.txt'));
    },
    broken: { code: 1, ran: 1 },
    fix: () => {
      rmdirSync(at('plot.txt'));
      edit('  - name: plot\n', '  - name: plot\n    retry: { max_retries_failure: 2 }\n');
    },
  },
  {
    break: () => {},
    broken: { code: 0, ran: 0 },
    fix: () => edit('min_samples: 4', 'min_samples: 6'),
  },
  {
    break: () => {
      rmSync(at('mapped/S01.txt'));
      appendFileSync(at('sorted/S02.txt'), '7:ACGT\n');
    },
    broken: { code: 0, ran: 0 },
    fix: () => {},
  },
  {
    break: () => {},
    broken: { code: 0, ran: 0 },
    fix: () => copyFileSync(at('reads/S01.txt'), at('reads/S21.txt')),
  },
];

/** The numbers of the page: what ran after each fix. */
const ranThen = tableRows(sections(readText(PAGE), 2).get('The same with 62 jobs')!).map((cells) =>
  Number(cells.at(-1)),
);

test('the pipeline runs after each fix what the page says, and nothing else', async () => {
  cpSync(EXAMPLE, cwd, { recursive: true });
  execFileSync('sh', ['make-reads.sh'], { cwd });
  let known = 0;
  const ran = async (...args: string[]) => {
    const { code, stderr } = await runCli(args, { cwd });
    const { stdout } = await runCli(['attempts', '1', '--output', 'json'], { cwd });
    const count = code === 2 ? 0 : (JSON.parse(stdout) as AttemptRecord[]).length;
    const more = Math.max(0, count - known);
    known = Math.max(known, count);
    return { code, ran: more, stderr };
  };
  expect(ranThen).toHaveLength(STORIES.length);
  for (const [index, story] of STORIES.entries()) {
    story.break();
    // Nothing is stored before the first fix; files that changed without an edit are only named.
    const resume = ['run', 'variants.yaml', ...(index === 0 ? [] : ['--continue'])];
    const broken = await ran(...(story.broken.code === 0 ? ['run', '1'] : resume));
    expect(broken, broken.stderr).toMatchObject(story.broken);
    story.fix();
    const fixed = await ran(...resume);
    expect(fixed, fixed.stderr).toMatchObject({ code: 0, ran: ranThen[index] });
  }
  expect(readFileSync(at('plot.txt'), 'utf8')).toMatch(/^ +\d+ #{6,20}\n/);
});
