import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A fenced block. What follows the language says what tests do with it: ```sh exit=2. */
export interface Fence {
  language: string;
  marks: string[];
  text: string;
  line: number;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function fences(markdown: string): Fence[] {
  const found: Fence[] = [];
  let open: Fence | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open !== null && line === '```') {
      found.push(open);
      open = null;
    } else if (open !== null) {
      open.text += `${line}\n`;
    } else if (line.startsWith('```')) {
      const [language = '', ...marks] = line.slice(3).trim().split(/\s+/);
      open = { language, marks, text: '', line: index + 2 };
    }
  }
  if (open !== null) throw new Error(`the block at line ${open.line} is not closed`);
  return found;
}

/** What a block is marked with: 2 for exit in ```sh exit=2. */
export function markedWith({ marks }: Fence, name: string): string | undefined {
  return marks.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Cells of every table row, header and rule left out. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n');
  const isRule = (line: string | undefined) => /^\|[-| ]+\|$/.test(line ?? '');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Everything in backticks. */
export function codeWords(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
}

/** The text under each heading of one level, by the heading. */
export function sections(markdown: string, level: number): Map<string, string> {
  const mark = '#'.repeat(level);
  const parts = markdown.split(new RegExp(`^${mark} (.+)$`, 'm'));
  const found = new Map<string, string>();
  for (let index = 1; index < parts.length; index += 2) found.set(parts[index]!, parts[index + 1]!);
  return found;
}
