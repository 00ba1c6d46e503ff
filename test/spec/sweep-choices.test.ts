import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadSpec } from '../../src/spec/load-spec.ts';
import { formatProblem, type Problem } from '../../src/spec/problem.ts';
import { keptFiles, sentFiles } from '../../src/spec/spec-files.ts';
import { readTable } from '../../src/spec/sweep/read-table.ts';

const TEXTS: Record<string, string> = {
  'samples.txt': '\uFEFF# the good ones\na\n\n b \r\n007\n8\n',
  'empty.txt': '# nothing\n',
  'runs.csv': 'model,rate\r\n"a, ""b""",0.5\r\nc,1.50\r\n',
  'runs.json': '[{"model": "a", "rate": 1}, {"model": "b", "rate": true}]',
  'runs.jsonl': '{"model": "a", "rate": 1}\n\n{"model": "b", "rate": 2}\n',
  'bad.csv': 'model,rate\na\n',
};
const LISTS: Record<string, string[]> = {
  'data/*.fq': ['w/data/a.fq', 'w/data/b c.fq'],
  'data/*.fastq.gz': ['data/a.fastq.gz'],
  'data/a*': ['data/a.tar.gz', 'data/a'],
  '**/*.fq': ['x/a.fq', 'y/a.fq'],
  'evil/*': ['evil/$(touch x)'],
  'none/*': [],
};
const FILES = sentFiles({ texts: TEXTS, lists: LISTS });

/** Its line and what is wrong; that columns are right is shown elsewhere. */
function placed(problem: Problem): string {
  return formatProblem(problem).replace(/^flow\.yaml:(\d+):\d+: /, '$1 ');
}

function load(text: string, options: LoadOptions = {}, fileName = 'flow.yaml'): string[] {
  const result = loadSpec(text, fileName, { files: FILES, ...options });
  if (!result.ok) return result.problems.map(placed);
  return [...result.model.jobs.map(({ config }) => config.command), ...result.warnings.map(placed)];
}

const sweep = (keys: string) => load(`jobs: [{name: "j_{i}_{k}", command: "{i}{k}", ${keys}}]`);
const values = (written: string) =>
  load(`jobs: [{name: "j_{s}", command: "<{s}>", parameters: {s: ${written}}}]`);
const table = (keys: string, top = '') =>
  load(`${top}jobs: [{name: "j_{model}", command: "{model}={rate}", ${keys}}]`);

describe('combinations of a sweep', () => {
  it.each([
    ['parameters: {i: [1, 2], k: [a, b]}, exclude: [{i: 1, k: b}]', ['1a', '2a', '2b']],
    ['parameters: {i: [1, 2], k: [a, b]}, exclude: [{i: "1"}, {k: b}]', ['2a']],
    ['parameters: {i: [1, 2], k: [a, b]}, include: [{k: c, i: 9}], exclude: [{i: 1}]', ['2a', '2b', '9c']],
    ['parameters: {i: [1, 2], k: [a, b]}, parameter_mode: zip, exclude: [{i: 1}]', ['2b']],
    ['parameters: {i: [1], k: [a]}, include: [{i: 2, k: b}], exclude: [{i: 1}]', ['2b']],
  ])('are chosen: %s', (keys, commands) => {
    expect(sweep(keys)).toEqual(commands);
  });

  it.each([
    [
      'parameters: {i: [1], k: [a]}, exclude: [{i: 1}]',
      '1 jobs[0].exclude: leaves no combination of the parameters',
    ],
    [
      'parameters: {i: [1], k: [a]}, exclude: [{kk: 1}]',
      '1 jobs[0].exclude[0]: there is no parameter "kk"; did you mean "k"?',
    ],
    [
      'parameters: {i: [1], k: [a]}, include: [{i: 2}]',
      '1 jobs[0].include[0]: has no value for the parameter "k"',
    ],
    ['parameters: {i: [1, 2], k: [a]}, exclude: [{i: 3}]', '1 jobs[0].exclude[0]: excludes nothing'],
    ['exclude: [{i: 3}]', '1 jobs[0].exclude: there are no parameters to combine'],
  ])('are checked: %s', (keys, message) => {
    expect(sweep(keys)).toContain(message);
  });
});

describe('values from files', () => {
  it.each([
    ['{glob: "data/*.fq"}', ['<w/data/a.fq>', '<w/data/b c.fq>']],
    ['{glob: "data/*.fq", as: name}', ['<a.fq>', '<b c.fq>']],
    ['{glob: "data/*.fq", as: stem}', ['<a>', '<b c>']],
    ['{glob: "data/*.fastq.gz", as: stem}', ['<a>']],
    ['{glob: "data/a*", as: stem}', ['<a.tar>', '<a>']],
    ['{lines: samples.txt}', ['<a>', '<b>', '<007>', '<8>']],
  ])('of %s', (written, commands) => {
    expect(values(written)).toEqual(commands);
  });

  it.each([
    ['{glob: "none/*"}', 'jobs[0].parameters.s: none/* matches no file'],
    ['{glob: "gone/*"}', 'jobs[0].parameters.s: gone/* cannot be read: it was not sent along with the spec'],
    ['{glob: "**/*.fq", as: stem}', 'jobs[0].parameters.s: x/a.fq and y/a.fq have the same stem, "a"'],
    [
      '{glob: "evil/*"}',
      'jobs[0].parameters.s: the name "evil/$(touch x)" has signs that mean something to a shell; rename the file',
    ],
    ['{lines: empty.txt}', 'jobs[0].parameters.s: empty.txt has no values'],
    [
      '{lines: gone.txt}',
      'jobs[0].parameters.s: gone.txt cannot be read: it was not sent along with the spec',
    ],
  ])('that cannot be right: %s', (written, message) => {
    expect(values(written)).toEqual([`1 ${message}`]);
  });

  it('must be of the right shape', () => {
    expect(values('{glob: 3}')[0]).toContain('jobs[0].parameters.s');
    expect(values('{glob: "data/*.fq", as: base}')[0]).toContain('jobs[0].parameters.s');
    expect(values('{lines: samples.txt, glob: "data/*.fq"}')[0]).toContain('jobs[0].parameters.s');
  });

  it('are shared, named by variables, and written in KDL, too', () => {
    const shared = `variables: {dir: data}
parameters: {s: {glob: "{dir}/*.fq", as: stem}}
jobs: [{name: "j_{s}", command: "{s}", use_parameters: [s]}]`;
    expect(load(shared)).toEqual(['a', 'b c']);
    expect(load(shared, { set: { s: ['q'] } })).toEqual(['q']);
    const kdl =
      'job "j_{s}" {\n command "{s}"\n parameters {\n  s {\n   glob "data/*.fq"\n   as "stem"\n  }\n }\n}\n';
    expect(load(kdl, {}, 'flow.kdl')).toEqual(['a', 'b c']);
  });
});

describe('a table', () => {
  it.each([
    ['parameters_file: runs.csv', '', ['a, "b"=0.5', 'c=1.50']],
    ['parameters_file: runs.json', '', ['a=1', 'b=true']],
    ['parameters_file: runs.jsonl', '', ['a=1', 'b=2']],
    ['parameters_file: runs.jsonl, exclude: [{model: a}]', '', ['b=2']],
    ['use_parameters_file: true', 'parameters_file: runs.json\n', ['a=1', 'b=true']],
    ['parameters_file: "{v}.json"', 'variables: {v: runs, ratee: 3}\n', ['a=1', 'b=true']],
  ])('has one job for each row: %s', (keys, top, commands) => {
    expect(table(keys, top)).toEqual(commands);
  });

  it.each([
    ['use_parameters_file: true', '', '1 jobs[0].use_parameters_file: the workflow has no `parameters_file`'],
    [
      'parameters_file: runs.csv, parameters: {x: [1]}',
      '',
      '1 jobs[0].parameters_file: a table gives all values, so that `parameters` cannot be given with it',
    ],
    [
      'parameters_file: runs.csv, use_parameters_file: true',
      'parameters_file: runs.json\n',
      '2 jobs[0].parameters_file: has a table of its own and that of the workflow; keep one of them',
    ],
    [
      'parameters_file: bad.csv',
      '',
      '1 jobs[0].parameters_file: bad.csv line 2 has 1 cells, and the header has 2',
    ],
    [
      'parameters_file: gone.csv',
      '',
      '1 jobs[0].parameters_file: gone.csv cannot be read: it was not sent along with the spec',
    ],
    [
      'parameters: {model: [a], rate: [1]}',
      'parameters_file: runs.csv\n',
      '1 parameters_file: no job or file uses this table (`use_parameters_file: true`)',
    ],
    [
      'parameters_file: runs.txt',
      '',
      '1 jobs[0].parameters_file: runs.txt cannot be read: it was not sent along with the spec',
    ],
  ])('is checked: %s', (keys, top, message) => {
    expect(table(keys, top)).toContain(message);
  });

  it.each([
    ['a.csv', 'a,b\n1,"x\ny"\n\n"",2\n', { columns: { a: [1, ''], b: ['x\ny', 2] } }],
    ['a.csv', 'a\n1', { columns: { a: [1] } }],
    ['a.csv', 'a,b\n1,\n', { columns: { a: [1], b: [''] } }],
    ['a.csv', '', { error: 'is empty; its first line has the names of the columns' }],
    ['a.csv', 'a\n', { error: 'has no rows' }],
    ['a.csv', 'a,a\n1,2', { error: 'has the column "a" twice' }],
    [
      'a.csv',
      'a b\n1',
      { error: 'the column "a b" is no name of a parameter, which has letters, digits and _ only' },
    ],
    ['a.csv', 'a\n"1', { error: 'line 2 has a " that is not closed, or text beside one' }],
    ['a.csv', 'a\n"1"2', { error: 'line 2 has a " that is not closed, or text beside one' }],
    ['a.json', '{}', { error: 'must be a list of objects, one for each row' }],
    ['a.json', '[]', { error: 'must be a list of objects, one for each row' }],
    ['a.json', '[{"a": 1}, {"b": 1}]', { error: 'row 2: "a" is not a text, a number, true or false' }],
    ['a.json', '[{"a": 1}, {}]', { error: 'row 2 does not have the keys of the first one: a' }],
    ['a.json', '[{"a": [1]}]', { error: 'row 1: "a" is not a text, a number, true or false' }],
    ['a.txt', 'a', { error: 'a table is a file whose name ends with .csv, .json, .jsonl or .ndjson' }],
  ])('%s with %j', (path, text, expected) => {
    expect(readTable(path, text)).toEqual(expected);
  });

  it('of 20,000 rows is no large spec', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `${index},${'x'.repeat(20)}`).join('\n');
    const files = sentFiles({ texts: { 'big.csv': `i,t\n${rows}\n` }, lists: {} });
    const text = 'jobs: [{name: "j_{i}", command: "x {t}", parameters_file: big.csv}]';
    expect(load(text, { files })).toHaveLength(20_000);
  });
});

it('what was read is sent along, and makes the same model', () => {
  const text = `parameters_file: runs.json
parameters: {s: {glob: "data/*.fq", as: stem}, l: {lines: samples.txt}}
jobs:
- {name: "a_{model}", command: "{rate}", use_parameters_file: true}
- {name: "b_{s}_{l}", command: x, use_parameters: [s, l]}`;
  const { files, sent } = keptFiles(FILES);
  const here = loadSpec(text, 'flow.yaml', { files });
  expect(here.ok).toBe(true);
  expect(sent).toEqual({
    texts: { 'runs.json': TEXTS['runs.json'], 'samples.txt': TEXTS['samples.txt'] },
    lists: { 'data/*.fq': LISTS['data/*.fq'] },
  });
  expect(loadSpec(text, 'flow.yaml', { files: sentFiles(sent) })).toEqual(here);
});
