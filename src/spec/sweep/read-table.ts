import { type ParameterValue, plainValue } from './parameter-values.ts';

/** Rows of a table as values by column, all of one length; or what is wrong with it. */
export type Table = { columns: Record<string, ParameterValue[]> } | { error: string };

const COLUMN = /^[A-Za-z_]\w*$/;

/** By the ending of its name: `.csv` (RFC 4180, with a header), `.json` (a list of objects), `.jsonl` (one a line). */
export function readTable(path: string, text: string): Table {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  switch (/\.\w+$/.exec(path)?.[0].toLowerCase()) {
    case '.csv':
      return csvTable(clean);
    case '.json':
      return jsonTable(() => JSON.parse(clean));
    case '.jsonl':
    case '.ndjson':
      return jsonTable(() =>
        clean.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)])),
      );
    default:
      return { error: 'a table is a file whose name ends with .csv, .json, .jsonl or .ndjson' };
  }
}

function csvTable(text: string): Table {
  const read = csvRows(text);
  if ('error' in read) return read;
  const [header, ...rows] = read.rows;
  if (header === undefined) return { error: 'is empty; its first line has the names of the columns' };
  const names = header.cells.map((cell) => cell.trim());
  const problem = columnProblem(names);
  if (problem !== undefined) return { error: problem };
  const columns = names.map((): ParameterValue[] => []);
  for (const { line, cells } of rows) {
    if (cells.length !== names.length) {
      return { error: `line ${line} has ${cells.length} cells, and the header has ${names.length}` };
    }
    for (const [index, cell] of cells.entries()) columns[index]!.push(plainValue(cell));
  }
  return rows.length === 0
    ? { error: 'has no rows' }
    : { columns: Object.fromEntries(names.map((name, index) => [name, columns[index]!])) };
}

interface Row {
  line: number;
  cells: string[];
}

function csvRows(text: string): { rows: Row[] } | { error: string } {
  const rows: Row[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;
  let row: Row = { line: 1, cells: [] };
  let line = 1;
  while (cell.lastIndex < text.length || row.cells.length > 0) {
    const match = cell.exec(text);
    if (match === null) return { error: `line ${line} has a " that is not closed, or text beside one` };
    const [whole, quoted, plain, end] = match;
    row.cells.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    // An empty line is no row.
    if (row.cells.length > 1 || row.cells[0] !== '' || quoted !== undefined) rows.push(row);
    row = { line, cells: [] };
    if (cell.lastIndex >= text.length) break;
  }
  return { rows };
}

function jsonTable(read: () => unknown): Table {
  let rows: unknown;
  try {
    rows = read();
  } catch (error) {
    return { error: `is not JSON: ${(error as Error).message}` };
  }
  if (!Array.isArray(rows) || rows.length === 0)
    return { error: 'must be a list of objects, one for each row' };
  const names = isObject(rows[0]) ? Object.keys(rows[0]) : [];
  const problem = columnProblem(names);
  if (problem !== undefined) return { error: problem };
  const columns = new Map(names.map((name): [string, ParameterValue[]] => [name, []]));
  for (const [index, row] of rows.entries()) {
    if (!isObject(row) || Object.keys(row).length !== names.length) {
      return { error: `row ${index + 1} does not have the keys of the first one: ${names.join(', ')}` };
    }
    for (const [name, values] of columns) {
      const value = Object.hasOwn(row, name) ? row[name] : undefined;
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
        return { error: `row ${index + 1}: "${name}" is not a text, a number, true or false` };
      }
      values.push(value);
    }
  }
  return { columns: Object.fromEntries(columns) };
}

function columnProblem(names: readonly string[]): string | undefined {
  if (names.length === 0) return 'has no columns';
  const wrong = names.find((name) => !COLUMN.test(name));
  if (wrong !== undefined) {
    return `the column ${JSON.stringify(wrong)} is no name of a parameter, which has letters, digits and _ only`;
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `has the column "${twice}" twice`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
