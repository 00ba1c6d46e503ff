import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { fitDetails, fitExample, helpWidth } from '../../src/cli/help-text.ts';

describe('the details of a help', () => {
  test('are filled again where a line is too long, and left as they are where all fit', () => {
    const text = 'one two three four\nfive six\n\nseven\neight';
    expect(fitDetails(text, 18)).toBe(text);
    expect(fitDetails(text, 13)).toBe('one two three\nfour five six\n\nseven\neight');
  });

  test('continue an indented line below its description', () => {
    const text = 'Actions:\n  run   one two three four five six seven eight nine ten';
    expect(fitDetails(text, 40)).toBe(
      'Actions:\n  run   one two three four five six\n        seven eight nine ten',
    );
  });

  test('keep a word that is wider than the terminal', () => {
    expect(fitDetails(`a ${'b'.repeat(12)} c`, 8)).toBe(`a\n${'b'.repeat(12)}\nc`);
  });

  test('of every command fit 80 columns and lose no word', () => {
    for (const { details } of COMMANDS) {
      if (details === undefined) continue;
      const fitted = fitDetails(details, 80);
      expect(fitted.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(fitted.split(/\s+/)).toEqual(details.split(/\s+/));
    }
  });

  test('of an example is continued before an option, as a shell takes it', () => {
    expect(fitExample('run a --b c --d e', 17)).toBe('run a --b c --d e');
    expect(fitExample('run a --b c --d e', 16)).toBe('run a --b c \\\n    --d e');
    const examples = COMMANDS.flatMap((entry) => entry.examples);
    for (const example of examples) {
      const fitted = fitExample(`  ${example}`, 80);
      expect(fitted.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(fitted.trim().replaceAll(/ \\\n +/g, ' ')).toBe(example);
    }
  });

  test('have the width of the terminal, or 80 columns in a pipe', () => {
    expect(helpWidth({ isTTY: true, columns: 132 })).toBe(132);
    expect(helpWidth({ isTTY: true, columns: 0 })).toBe(80);
    expect(helpWidth({ columns: 132 })).toBe(80);
  });
});
