import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { csvText } from '../../src/cli/terminal/csv-text.ts';
import type { View } from '../../src/cli/terminal/view.ts';
import { LIST_COLUMNS, type ListName } from '../../src/cli/texts/lists/list-columns.ts';
import { courses } from '../property-runs.ts';
import { makeProject, runCli } from './run-cli.ts';
import { VIEW_SAMPLES } from './view-samples.ts';

const list: View<Record<string, unknown>[]> = { json: (rows) => rows, table: () => [], quiet: () => [] };

const VIEWS: Record<ListName, string> = {
  allocations: 'allocationsView',
  attempts: 'attemptsView',
  checks: 'checksView',
  decisions: 'decisionStatsView',
  events: 'eventsView',
  failures: 'failuresView',
  history: 'requestHistoryView',
  items: 'itemsView',
  jobs: 'jobsView',
  requests: 'requestsView',
  settings: 'settingsView',
  shapes: 'plannedShapesView',
  sites: 'sitesView',
  tokens: 'tokensView',
  units: 'unitsView',
  usage: 'usageView',
  workers: 'workersView',
  workflows: 'workflowsView',
};

/** Reads RFC 4180; null is an empty field without quotes. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/gy;
  for (;;) {
    const [, quoted, plain, end] = field.exec(text)!;
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    if (end === '') return rows;
    if (end === '\n') rows.push([]);
  }
}

describe('a list as CSV', () => {
  test('any text comes back, with quotes, commas and line ends, and apart from null', () => {
    const text = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', 'é', '=', '\t') });
    const rows = fc.array(fc.record({ a: fc.option(text), b: text, c: fc.integer() }));
    fc.assert(
      fc.property(rows, (records) => {
        const [head, ...lines] = parseCsv(csvText(list, records, ['a', 'b', 'c']));
        expect(head).toEqual(['a', 'b', 'c']);
        expect(lines).toEqual(records.map(({ a, b, c }) => [a, b, String(c)]));
      }),
      { numRuns: courses(200) },
    );
  });

  test('nested values are compact JSON, control characters are visible, a missing field is empty', () => {
    const rows = [{ a: { x: [1, null] }, b: '\u001b[31mred\u0000', c: true }];
    expect(csvText(list, rows, ['a', 'b', 'c', 'd'])).toBe(
      'a,b,c,d\n"{""x"":[1,null]}",\\u001b[31mred\\u0000,true,',
    );
  });

  test('an empty list is its header', () => {
    expect(csvText(list, [], ['id', 'name'])).toBe('id,name');
  });

  test.each(Object.entries(VIEWS))('%s has a column for every field of its records', (name, viewName) => {
    const [view, thing] = VIEW_SAMPLES[viewName]!;
    const columns = LIST_COLUMNS[name as ListName];
    const rows = (view.rows ?? view.json)(thing as never) as object[];
    expect(rows.length).toBeGreaterThan(0);
    const leftOut = name === 'usage' ? ['samples'] : [];
    for (const row of rows) {
      expect(Object.keys(row).filter((key) => !columns.includes(key))).toEqual(leftOut);
    }
    const lines = parseCsv(csvText(view, thing as never, columns));
    expect(lines[0]).toEqual(columns);
    for (const line of lines) expect(line).toHaveLength(columns.length);
  });

  test('every list is printed by a command', () => {
    const words = ['list', 'show', 'units', 'items', 'history', 'allocations', 'plan'];
    const printed = COMMANDS.flatMap((entry) =>
      [[], ...words.map((word) => [word])].flatMap((args) =>
        [{}, { stats: true }].map((options) => entry.list?.({ args, options, lists: {} })),
      ),
    );
    expect(Object.keys(LIST_COLUMNS).filter((name) => !printed.includes(name as ListName))).toEqual([]);
  });
});

describe('--output csv', () => {
  const SPEC = {
    name: 'c',
    jobs: [
      { name: 'say, "hi"', command: 'true' },
      { name: 'bad', command: 'exit 3' },
    ],
  };

  test('prints lists, and refuses what prints none before anything is changed', async () => {
    const cwd = makeProject({ 'w.json': SPEC });
    const refused = await runCli(['run', 'w.json', '--output', 'csv'], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--output csv: is for lists, and this command prints none');
    expect(refused.stderr).toContain('table, json or quiet');

    await runCli(['run', 'w.json'], { cwd });
    const jobs = parseCsv((await runCli(['jobs', '--output', 'csv'], { cwd })).stdout.trimEnd());
    const column = (rows: (string | null)[][], name: string) =>
      rows.slice(1).map((row) => row[rows[0]!.indexOf(name)]);
    expect(column(jobs, 'name')).toEqual(['say, "hi"', 'bad']);
    expect(column(jobs, 'status')).toEqual(['completed', 'failed']);

    const workflows = parseCsv((await runCli(['status', '--output', 'csv'], { cwd })).stdout.trimEnd());
    expect(column(workflows, 'id')).toEqual(['1']);
    expect(column(workflows, 'jobs_failed')).toEqual(['1']);

    const one = await runCli(['status', '1'], { cwd, env: { HOLDFAST_OUTPUT: 'csv' } });
    expect(one).toMatchObject({ code: 2, stdout: '' });
    expect(one.stderr).toContain('HOLDFAST_OUTPUT: csv is for lists');
    const retry = await runCli(['retry', '1', 'bad', '--output', 'csv'], { cwd });
    expect(retry.code).toBe(2);
    const empty = await runCli(['jobs', '1', '--status', 'ready', '--output', 'csv'], { cwd });
    expect(empty.stdout.split('\n')).toHaveLength(2);
  });
});
