import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortenPair } from '../../src/core/text/shorten-pair.ts';

const files = (count: number) => Array.from({ length: count }, (_, index) => `sorted/${index}.txt`).join(' ');

test('long texts lose what they have in common, up to whole words around what is different', () => {
  const command = (limit: number) => `sort -n ${files(30)} | awk '$1 >= ${limit}' | head -n 20 ${files(9)}`;
  expect(shortenPair(command(4), command(60))).toEqual([
    "… sorted/28.txt sorted/29.txt | awk '$1 >= 4' | head -n 20 sorted/0.txt sorted/1.txt …",
    "… sorted/28.txt sorted/29.txt | awk '$1 >= 60' | head -n 20 sorted/0.txt sorted/1.txt …",
  ]);
});

test('short texts stay as they are', () => {
  expect(shortenPair('sort a', 'sort b')).toEqual(['sort a', 'sort b']);
});

test('texts that differ still differ, and are parts of what they were', () => {
  const word = fc.constantFrom('a', 'bb', ' ', 'sorted/1.txt', 'x'.repeat(70));
  const text = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, text, text, (start, one, other, end) => {
      fc.pre(one !== other);
      const whole = [`${start}${one}${end}`, `${start}${other}${end}`] as const;
      const shown = shortenPair(...whole);
      expect(shown[0]).not.toBe(shown[1]);
      for (const [index, each] of shown.entries()) {
        expect(whole[index]).toContain(each.replace(/^… /, '').replace(/ …$/, ''));
      }
    }),
  );
});
