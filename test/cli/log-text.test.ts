import { describe, expect, test } from 'vitest';
import { tailLines, tailOffset } from '../../src/cli/logs/log-tail.ts';
import { TerminalSafe } from '../../src/cli/logs/terminal-safe.ts';
import { bufferLog, noLog } from './buffer-log.ts';

const MANY = 1024 * 1024;

/** The text in one piece, and cut at every place. */
function cleanedEveryWay(text: string): Set<string> {
  const bytes = Buffer.from(text);
  const results = new Set<string>();
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const safe = new TerminalSafe();
    results.add(safe.feed(bytes.subarray(0, cut)) + safe.feed(bytes.subarray(cut)) + safe.end());
  }
  return results;
}

describe('the end of a log', () => {
  test.each([
    ['a\nb\nc\n', 2, ['b', 'c']],
    ['a\nb\nc', 2, ['b', 'c']],
    ['a\nb\n\n', 2, ['b', '']],
    ['only', 5, ['only']],
    ['', 5, []],
    ['a\r\nb\r\n', 1, ['b']],
  ])('%j has the last %i lines %j', async (text, lines, expected) => {
    expect(await tailLines(bufferLog(text), lines, MANY)).toEqual(expected);
    const offset = await tailOffset(bufferLog(text), lines);
    expect(text.slice(offset).replaceAll('\r', '').replace(/\n$/, '')).toBe(expected.join('\n'));
  });

  test('is found over more than one block', async () => {
    const text = Array.from({ length: 40_000 }, (_, index) => `line ${index}`).join('\n');
    const offset = await tailOffset(bufferLog(text), 20_000);
    expect(text.slice(offset, offset + 10)).toBe('line 20000');
    expect(await tailOffset(bufferLog(text), 50_000)).toBe(0);
  });

  test('begins where what is kept does', async () => {
    const text = Array.from({ length: 40_000 }, (_, index) => `line ${index}`).join('\n');
    expect(await tailOffset(bufferLog(text, 200_001), 39_000)).toBe(200_001);
  });

  test('is bounded where a line has no end', async () => {
    expect(await tailLines(bufferLog('x'.repeat(100_000)), 5, 1000)).toEqual(['x'.repeat(1000)]);
  });

  test('of a log that is gone is empty', async () => {
    expect(await tailLines(noLog, 5, MANY)).toEqual([]);
    expect(await tailOffset(noLog, 5)).toBe(0);
  });
});

describe('a log on a terminal', () => {
  test.each([
    ['colours stay', '\x1b[1;31mred\x1b[0m\n', '\x1b[1;31mred\x1b[0m\n'],
    ['cursor movement goes', 'a\x1b[2J\x1b[3;4Hb\x1b[?25lc', 'abc'],
    ['titles and links go', 'a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c', 'abc'],
    ['questions to the terminal go', 'a\x1b[cb\x1bP$q"p\x1b\\c', 'abc'],
    ['bells, backspaces and other controls go', 'a\x07\x08\x00b\x9bc', 'abc'],
    ['a lone escape goes', 'abc\x1b', 'abc'],
    ['lines, tabs and carriage returns stay', 'a\tb\r\nc\n', 'a\tb\r\nc\n'],
    ['letters of every script stay', 'größe 数据 🙂\n', 'größe 数据 🙂\n'],
    ['a reset of the terminal goes', 'a\x1bcb', 'ab'],
  ])('%s, however it is cut into chunks', (_, text, expected) => {
    expect([...cleanedEveryWay(text)]).toEqual([expected]);
  });
});
