import { parse } from 'yaml';
import { type Fence, fences, markedWith } from './markdown.ts';
import type { ReaderShell } from './reader-shell.ts';

/** Marks of blocks that a test of its own runs. */
const ELSEWHERE = new Set(['first-run', 'tests', 'setup']);

/** Does what a page says, block by block, and returns every block that did not end as the page says. */
export async function followPage(markdown: string, shell: ReaderShell): Promise<string[]> {
  const surprises: string[] = [];
  for (const block of fences(markdown)) {
    if (block.language === 'yaml')
      shell.save(`${(parse(block.text) as { name: string }).name}.yaml`, block.text);
    if (block.language !== 'sh' || block.marks.some((mark) => ELSEWHERE.has(mark))) continue;
    const interrupted = block.marks.includes('interrupt');
    const result = interrupted ? await shell.interrupt(block.text, / ok {6}/) : await shell.run(block.text);
    const wanted = interrupted ? 130 : Number(markedWith(block, 'exit') ?? 0);
    if (result.code !== wanted) surprises.push(describe(block, wanted, result.code, result.stderr));
  }
  return surprises;
}

function describe(block: Fence, wanted: number, code: number | null, stderr: string): string {
  return `line ${block.line}: exit ${code} instead of ${wanted}\n${block.text}${stderr}`;
}
