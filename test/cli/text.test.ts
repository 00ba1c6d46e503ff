import { describe, expect, test } from 'vitest';
import {
  displayWidth,
  ellipsizeEnd,
  ellipsizeMiddle,
  padToWidth,
} from '../../src/cli/terminal/display-width.ts';
import { clockTime, shortTime } from '../../src/cli/terminal/local-time.ts';
import { createPaint, fitLine, lineText, paintLine } from '../../src/cli/terminal/styled-line.ts';
import { foldingTable, textTable } from '../../src/cli/terminal/text-table.ts';
import { wrapWords } from '../../src/cli/terminal/wrap-words.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { NOON } from './records.ts';

describe('visible text', () => {
  test('shows control characters instead of sending them', () => {
    expect(visibleText('a\x1b[31mb\nc\td\x7f\x9b')).toBe('a␛[31mb␊c␉d␡\\u{9b}');
  });

  test('shows characters that reorder or hide text', () => {
    expect(visibleText('\u202egpj.exe\u200b')).toBe('\\u{202e}gpj.exe\\u{200b}');
  });

  test('leaves letters of every script alone', () => {
    expect(visibleText('größe_数据_🙂')).toBe('größe_数据_🙂');
  });
});

describe('words', () => {
  test('are wrapped between them, by the columns that they take', () => {
    expect(wrapWords('  one two three', 9, '    ')).toEqual(['  one two', '    three']);
    expect(wrapWords('数据 数据 数据', 9)).toEqual(['数据 数据', '数据']);
    expect(wrapWords('fits', 4)).toEqual(['fits']);
  });

  test('stay whole where they are wider than the line', () => {
    expect(wrapWords('a /a/very/long/path b', 6)).toEqual(['a', '/a/very/long/path', 'b']);
  });
});

describe('widths', () => {
  test('count wide characters twice and combining marks not at all', () => {
    expect(displayWidth('数据')).toBe(4);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('abc…')).toBe(4);
  });

  test('long names are cut in the middle', () => {
    expect(ellipsizeMiddle('preprocess_region_0042', 11)).toBe('prepr…_0042');
    expect(ellipsizeMiddle('数据数据数据', 7)).toBe('数…数据');
    expect(ellipsizeMiddle('abc', 2)).toBe('a…');
    expect(ellipsizeMiddle('abc', 3)).toBe('abc');
  });

  test('texts are cut at their end', () => {
    expect(ellipsizeEnd('abcdef', 4)).toBe('abc…');
    expect(ellipsizeEnd('abcdef', 0)).toBe('');
  });

  test('padding counts columns, not characters', () => {
    expect(padToWidth('数', 4, 'left')).toBe('数  ');
    expect(padToWidth('7', 3, 'right')).toBe('  7');
  });
});

describe('styled lines', () => {
  test('are cut without counting colours', () => {
    const line = fitLine([{ text: 'running ', style: 'cyan' }, { text: 'train_1' }], 11);
    expect(lineText(line)).toBe('running tr…');
    expect(paintLine(line, createPaint(true))).toContain('\x1b[');
  });

  test('show the cut also where it falls between two spans', () => {
    expect(lineText(fitLine([{ text: 'abcd' }, { text: 'ef' }], 4))).toBe('abc…');
  });

  test('have no escape codes when colours are off', () => {
    expect(paintLine([{ text: 'x', style: 'red' }], createPaint(false))).toBe('x');
  });
});

describe('times', () => {
  test('are as short as they can be without being equal', () => {
    expect(clockTime(NOON + 67_000)).toBe('12:01:07');
    expect(shortTime(NOON, NOON + 1000)).toBe('12:00:00');
    expect(shortTime(NOON - 2 * 86_400_000, NOON)).toBe('Mar 01 12:00');
    expect(shortTime(NOON - 400 * 86_400_000, NOON)).toMatch(/^2025-01-\d\d$/);
  });
});

describe('a table', () => {
  const columns = [
    { title: 'ID', value: (row: { id: number }) => row.id, align: 'right' as const },
    { title: 'NAME', value: (row: { name: string }) => row.name, shrink: 'middle' as const },
    { title: 'NOTE', value: (row: { note: string | null }) => row.note, shrink: 'end' as const },
  ];
  const rows = [
    { id: 1, name: 'prepare', note: null },
    { id: 1200, name: 'a_very_long_name_of_a_job_42', note: 'because\nof reasons' },
  ];

  test('aligns numbers to the right and everything else to the left', () => {
    expect(textTable(columns, rows, Number.POSITIVE_INFINITY, createPaint(false))).toEqual([
      '  ID  NAME                          NOTE',
      '   1  prepare                       -',
      '1200  a_very_long_name_of_a_job_42  because␊of reasons',
    ]);
  });

  test('shrinks its widest columns first until it fits the terminal', () => {
    const lines = textTable(columns, rows, 40, createPaint(false));
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(lines[2]).toBe('1200  a_very_l…_job_42  because␊of reas…');
  });

  test('puts folding columns below their rows where they do not fit, with all of their words', () => {
    const folding = columns.map((column) =>
      column.title === 'NOTE' ? { ...column, fold: true as const } : column,
    );
    const paint = createPaint(false);
    expect(foldingTable(folding, rows, 60, paint)).toEqual(textTable(columns, rows, 60, paint));
    expect(foldingTable(folding, rows, 36, paint)).toEqual([
      '  ID  NAME',
      '   1  prepare',
      '1200  a_very_long_name_of_a_job_42\n    because␊of reasons',
    ]);
    expect(foldingTable(folding, rows, 20, paint)[2]).toBe(
      '1200  a_very_…job_42\n    because␊of\n    reasons',
    );
  });

  test('keeps what cannot shrink readable on a terminal that is too narrow', () => {
    expect(textTable(columns, rows, 10, createPaint(false))[2]).toBe('1200  a_ve…_42  because…');
  });
});
