import { describe, expect, test } from 'vitest';
import { evidenceTail } from '../../src/core/text/evidence-tail.ts';

describe('the end of a log as evidence', () => {
  test('is the last 200 lines, without what could do harm', () => {
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i}`);
    const tail = evidenceTail(`${lines.join('\n')}\n\u001b[31mred\u0000\tü\n\n`);
    expect(tail.split('\n')).toEqual([...lines.slice(-199), ' [31mred \tü']);
  });

  test('has at most 8 KB, in whole lines', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `${i} ${'ü'.repeat(100)}`);
    const tail = evidenceTail(lines.join('\n'));
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(8192);
    expect(tail.split('\n')).toEqual(lines.slice(-tail.split('\n').length));
    expect(tail.split('\n').length).toBeGreaterThan(35);
  });

  test('begins at a blank where the last line alone is too long', () => {
    const tail = evidenceTail(`first\n${'word '.repeat(5000)}ü`);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(8192);
    expect(tail).toMatch(/^(word )+ü$/);
    expect(Buffer.byteLength(evidenceTail('ü'.repeat(9000)))).toBeLessThanOrEqual(8192);
  });

  test('is empty for an empty log', () => {
    expect(evidenceTail('')).toBe('');
    expect(evidenceTail('\n\n')).toBe('');
  });
});
