import { describe, expect, test } from 'vitest';
import type { EvaluationInputs } from '../../src/core/job/evaluation.ts';
import { followPage } from './follow-page.ts';
import { codeWords, fences, readText, sections, tableRows } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

const page = readText('docs/failure-routing.md');
const parts = sections(page, 2);

describe('docs/failure-routing.md', () => {
  test('works when it is followed', async () => {
    expect(await followPage(page, new ReaderShell())).toEqual([]);
  });

  test('shows the trace that the example prints', async () => {
    const shell = new ReaderShell();
    shell.save('lab.yaml', readText('examples/lab-05-retry.yaml'));
    const { stdout } = await shell.run('holdfast run lab.yaml');
    const reported = (text: string) =>
      [...text.matchAll(/^\d\d:\d\d:\d\d +(.+)$/gm)].map((match) => match[1]!.trimEnd());
    const shown = fences(parts.get('Reading the trace')!).map(({ text }) => reported(text))[0]!;
    expect(shown.length).toBeGreaterThan(0);
    expect(reported(stdout)).toEqual(shown);
  });

  test('has every worked case of routing', () => {
    const promises = tableRows(sections(readText('docs/conformance.md'), 2).get('Failure routing')!).map(
      ([promise]) => promise!,
    );
    const cases = promises.flatMap((promise) => /^G\d+/.exec(promise)?.[0] ?? []);
    expect(cases).toEqual(Array.from({ length: 20 }, (_, index) => `G${index + 1}`));
  });

  test('lists everything that code sees', () => {
    const listed = tableRows(sections(page, 3).get('What code sees')!.split('\n### ')[0]!).flatMap(
      ([names]) => codeWords(names!),
    );
    const known: Record<keyof EvaluationInputs, true> = {
      step: true,
      attempt: true,
      loop: true,
      error: true,
      output: true,
      outputs: true,
      failures: true,
      variables: true,
      outputs_history: true,
      foreach: true,
      pr: true,
      files: true,
      env: true,
    };
    expect(listed).toEqual(Object.keys(known));
  });
});
