import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printedText } from '../../src/cli/terminal/view.ts';
import { textStyle } from './records.ts';
import { VIEW_SAMPLES } from './view-samples.ts';

const TEXTS = resolve(import.meta.dirname, '../../src/cli/texts');

/** Keys below these are names of users, such as variables, resources, sites and outputs of code, or exit codes. */
const FREE = new Set([
  'env',
  'options',
  'resources',
  'limits',
  'data',
  'inputs',
  'output',
  'value',
  'by_site',
  'by_exit_code',
]);

function camelKeys(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => camelKeys(each, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key) ? [] : [`${path}.${key}`]),
    ...(FREE.has(key) ? [] : camelKeys(each, `${path}.${key}`)),
  ]);
}

describe('everything that commands print', () => {
  test('has a sample here', async () => {
    const files = readdirSync(TEXTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const names: string[] = [];
    for (const file of files) {
      const exports = (await import(join(TEXTS, file))) as Record<string, unknown>;
      names.push(...Object.keys(exports).filter((name) => name.endsWith('View')));
    }
    expect(names.sort()).toEqual(Object.keys(VIEW_SAMPLES).sort());
  });

  test.each(Object.entries(VIEW_SAMPLES))('%s is JSON with snake_case keys', (_, [view, thing]) => {
    const text = printedText(view, thing as never, 'json', textStyle());
    expect(camelKeys(JSON.parse(text))).toEqual([]);
  });

  test('camelCase keys are found, except below names of users', () => {
    expect(camelKeys([{ jobId: 1, env: { myVar: 1 }, a: { bC: 1 } }])).toEqual(['[].jobId', '[].a.bC']);
  });

  test.each(Object.entries(VIEW_SAMPLES))(
    '%s is text for people, and short for scripts',
    (_, [view, thing]) => {
      expect(printedText(view, thing as never, 'table', textStyle())).not.toBe('');
      const quiet = printedText(view, thing as never, 'quiet', textStyle());
      expect(quiet).not.toBe('');
      expect(quiet).not.toContain('undefined');
    },
  );
});
