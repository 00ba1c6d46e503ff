import { describe, expect, test } from 'vitest';
import { readLogEnd, readLogLines } from '../../src/mcp/read-log.ts';
import { STDERR_LIMITS, TextGuard } from '../../src/mcp/untrusted-text.ts';
import { bufferLog, noLog } from '../cli/buffer-log.ts';

const guard = new TextGuard([{ API_TOKEN: 'hunter2-hunter2', PATH: '/usr/bin' }]);

describe('text for an agent', () => {
  test('loses escapes, control characters and what cannot be seen', () => {
    const text = '\x1b[31mred\x1b[0m \x00\x07bell \x1b]0;title\x07 a\u202eb\u200bc \u{e0041}tag\x9b1m\ttab';
    expect(guard.clean(text)).toBe('red bell  abc tag1m\ttab');
  });

  test('keeps of a progress bar what it showed last', () => {
    expect(guard.clean('10%\r50%\r100%\r\ndone\n')).toBe('100%\ndone\n');
  });

  test('hides secrets, whatever is put in between', () => {
    expect(guard.clean('token hunter2-hunter2, hunter2\x00-hun\u200bter2')).toBe('token ***, ***');
    expect(guard.clean('PATH is /usr/bin')).toBe('PATH is /usr/bin');
  });

  test('hides a secret of several lines line by line, and in JSON and in addresses', () => {
    const key = '-----BEGIN KEY-----\nabcdefghijkl\n-----END KEY-----\n';
    const keys = new TextGuard([{ PRIVATE_KEY: key, PASSWORD: 'p&ss "w" ord' }]);
    expect(keys.clean('x abcdefghijkl y')).toBe('x *** y');
    expect(keys.clean(JSON.stringify({ key }))).toBe('{"key":"***"}');
    expect(keys.clean(`?p=${encodeURIComponent('p&ss "w" ord')}`)).toBe('?p=***');
  });

  test('is cleaned in one pass, whatever it is made of', () => {
    for (const part of ['x', '\n', '\r', '\x1b', '\x1b]', '\x1b[0', '\ufffd', 'x\r', '\n\r', '\u200b']) {
      const text = `${part.repeat(300_000)}\nend`;
      expect(guard.mark(text, STDERR_LIMITS).untrusted_text.endsWith('end'), JSON.stringify(part)).toBe(true);
    }
  });

  test('is cut to the last lines and bytes, at whole characters', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
    const marked = guard.mark(`${lines.join('\n')}\n`, STDERR_LIMITS);
    expect(marked.truncated).toBe(true);
    expect(marked.untrusted_text.split('\n')).toEqual(lines.slice(10));
    const wide = guard.mark('€'.repeat(5000), STDERR_LIMITS);
    expect(Buffer.byteLength(wide.untrusted_text)).toBeLessThanOrEqual(8192);
    expect(wide.untrusted_text).toMatch(/^€+$/);
  });
});

describe('a log', () => {
  test('is read by line numbers until its end', async () => {
    const log = bufferLog('a\nb\nc\nd');
    expect(await readLogLines(log, 2, { lines: 2, bytes: 99 })).toMatchObject({
      text: 'b\nc\n',
      nextLine: 4,
      isPart: true,
    });
    expect(await readLogLines(log, 4, { lines: 9, bytes: 99 })).toMatchObject({ text: 'd', nextLine: null });
    expect(await readLogLines(log, 9, { lines: 9, bytes: 99 })).toMatchObject({ text: '', nextLine: null });
  });

  test('gives no line in part, so that the next call continues where this one ended', async () => {
    const log = bufferLog(Array.from({ length: 9 }, (_, i) => `${i + 1}${'x'.repeat(99)}`).join('\n'));
    const seen: string[] = [];
    let from: number | null = 1;
    while (from !== null) {
      const part: Awaited<ReturnType<typeof readLogLines>> = await readLogLines(log, from, {
        lines: 9,
        bytes: 250,
      });
      seen.push(...part!.text.trimEnd().split('\n'));
      from = part!.nextLine;
    }
    expect(seen.map((line) => Number(line[0]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('with one endless line is read in part', async () => {
    const log = bufferLog('x'.repeat(2_000_000));
    const part = await readLogLines(log, 1, { lines: 10, bytes: 1000 });
    expect(part!.text.length).toBeLessThan(1_000_000);
    expect((await readLogEnd(log))!.text.length).toBe(256 * 1024);
  });

  test('of which the beginning is not kept has no lines by number, but an end', async () => {
    const log = bufferLog('a\nb\nc\nd\n', 4);
    expect(await readLogLines(log, 3, { lines: 1, bytes: 99 })).toMatchObject({ text: '', isTooFar: true });
    expect(await readLogEnd(log)).toMatchObject({ text: 'd\n', sizeBytes: 8, isPart: true });
  });

  test('that is not there gives nothing', async () => {
    expect(await readLogEnd(noLog)).toBeUndefined();
    expect(await readLogLines(noLog, 1, { lines: 1, bytes: 99 })).toBeUndefined();
  });
});
