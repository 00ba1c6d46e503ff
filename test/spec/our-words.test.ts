import { describe, expect, it } from 'vitest';
import { specJsonSchema } from '../../src/spec/json-schema.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';

/** Words of the packages that read YAML, JSON5, patterns, JavaScript, templates and schemas. */
const NOT_OURS =
  /Unexpected|Expected|Invalid|Missing|Unrecognized|Too (?:small|big)|must be unique|flow-|block-|node end|token|YAML\.|[Mm]apping|Implicit|Plain value|Unresolved|Excessive|Map keys|JSON5|missing closing|error parsing|undefined|illegal|Unterminated|rvalue|already been declared|reserved|Unsyntactic|not found|sequence items|Tabs are|zod|Zod|\bNaN\b|\bunion\b|\brecord\b|nullish|Cannot/;

function messages(text: string, fileName: string): string[] {
  const loaded = loadSpec(text, fileName);
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message);
}

const job = (more: object) => JSON.stringify({ jobs: [{ name: 'a', command: 'x', ...more }] });
const step = (more: object) => JSON.stringify({ steps: { a: { exec: 'x', ...more } } });

const YAML = [
  'jobs:\n  - {name: x_{sample}, command: echo {sample}}',
  'jobs:\n  - {name: {sample}_x, command: y}',
  'jobs: [{name: x, command: {sample}}]',
  'a: "x',
  "a: 'x",
  'a: [1, 2',
  'a: {b: 1',
  'a: [x,\nb: 1',
  '\ta: 1',
  'a:\n\t- 1',
  'a: @x',
  'a: `x',
  'a: %x',
  '- a\nb: 1',
  'a: b: c',
  'a: *x',
  'a: &x &y 1',
  'a: "\\q"',
  'a: |x\n b',
  'a:\n  b: 1\n c: 2',
  'a: "x" y',
  'b: }',
  '---\na: 1\n---\nb: 2',
  'a: !<x y\n',
  'a: 1\na: 2',
  'a: b\n  c: d',
  'a: - b',
  'jobs:\n  - name: a\n   command: b\n',
  `${'x'.repeat(2000)}: 1`,
  'a: [1 2]\nb: {c d}',
  '<<: 1',
  'a: !!seq {b: 1}',
  '%YAML x\n---\na: 1',
  'a: *',
  '? [a]\n: b',
  'a: &\n',
  '[a, b',
  '{a: 1',
  'a: >5x\n y',
  '"a": 1\n"b',
  'a: {b: 1}}',
  'key',
  '- 1',
  '',
];
const JSON5 = [
  '{',
  '{a',
  '{a:',
  '{"a": "\\u00zz"}',
  '[1,',
  '{a: 012}',
  '{a: 1 b: 2}',
  '{\\u00: 1}',
  "{a: 'x\ny'}",
  '{a: 0x}',
  'nope',
  '{a: 1, a: 2}',
];
const PATTERNS = [
  '((',
  '[a',
  'a)',
  '*a',
  'a**',
  'a{2000}',
  'a\\',
  '\\q',
  '[z-a]',
  '[[:foo:]]',
  '(?P<a>x)(?P<a>y)',
  '(?=x)',
  '(?<!x)',
  '\\1',
  '(?i',
  '\\p{Foo}',
  '('.repeat(2000),
];
const JAVASCRIPT = [
  'a b',
  '"x',
  '`x',
  '/x',
  '/(/',
  'let a; let a',
  '1=2',
  '1a',
  '"\\u1"',
  'import x from "y"',
  'await x',
  'break',
  'try {}',
  'a ?? b || c',
  'function(){',
  '@',
  '#a',
  'if (',
  '({a:1,,})',
  '1_000_',
  'let let',
  'super.x',
  '/a/gg',
  'a?.b = 1',
  'x: 1; continue x',
  '',
];
const TEMPLATES = [
  '{{ x',
  '{% if %}',
  '{% if x %}',
  '{{ x | nofilter }}',
  '{% endif %}',
  '{{ }}',
  '{% for %}{% endfor %}',
  '{% assign %}',
  '{% assign a %}',
  '{% raw %}',
  '{% include "x" %}',
  '{{ "x }}',
  '{% %}',
  '{{ a[ }}',
  '{% case %}{% endcase %}',
  '{% if a = b %}{% endif %}',
  '{% unless x',
  '{% comment %}',
  '{% if x %}{% else %}{% else %}{% endif %}',
  '{{ (1..) }}',
  '{{ nosuch.x }}',
];

describe('a mistake is reported in our words', () => {
  it.each<[string, string[]]>([
    ['of YAML', YAML.flatMap((text) => messages(text, 'flow.yaml'))],
    ['of JSON and JSON5', JSON5.flatMap((text) => messages(text, 'flow.json5'))],
    [
      'of a pattern',
      PATTERNS.flatMap((pattern) => messages(job({ depends_on_regexes: pattern }), 'flow.json')),
    ],
    [
      'of JavaScript',
      JAVASCRIPT.flatMap((code) => [
        ...messages(step({ if: code }), 'flow.json'),
        ...messages(step({ on_success: { goto_js: code } }), 'flow.json'),
      ]),
    ],
    ['of a template', TEMPLATES.flatMap((exec) => messages(step({ exec }), 'flow.json'))],
  ])('%s', (_, reported) => {
    expect(reported.length).toBeGreaterThan(10);
    expect(reported.filter((message) => message.trim() === '' || NOT_OURS.test(message))).toEqual([]);
  });

  it('of any value under any key', () => {
    const { $defs } = specJsonSchema() as { $defs: Record<string, { properties: Record<string, unknown> }> };
    const keysOf = (name: string) => Object.keys($defs[name]!.properties);
    const values = [
      null,
      1.5,
      -1,
      2 ** 60,
      '',
      'x',
      'a\u0000b',
      true,
      [],
      {},
      [null],
      [[]],
      { a: null },
      [{}],
      ['x', 'x'],
      [1, 'x'],
      { '': {} },
    ];
    const reported = values.flatMap((value) => [
      ...keysOf('Workflow').flatMap((key) =>
        messages(JSON.stringify({ jobs: [{ name: 'a', command: 'x' }], [key]: value }), 'flow.json'),
      ),
      ...keysOf('Job').flatMap((key) => messages(job({ [key]: value }), 'flow.json')),
      ...keysOf('Step').flatMap((key) => messages(step({ [key]: value }), 'flow.json')),
      ...keysOf('Retry').flatMap((key) => messages(job({ retry: { [key]: value } }), 'flow.json')),
      ...keysOf('OnFail').flatMap((key) => messages(step({ on_fail: { [key]: value } }), 'flow.json')),
      ...keysOf('FailureRule').flatMap((key) =>
        messages(
          JSON.stringify({
            failure_handlers: [{ name: 'h', rules: [{ [key]: value }] }],
            jobs: [{ name: 'a', command: 'x' }],
          }),
          'flow.json',
        ),
      ),
    ]);
    expect(reported.length).toBeGreaterThan(500);
    expect(
      [...new Set(reported)].filter((message) => message.trim() === '' || NOT_OURS.test(message)),
    ).toEqual([]);
  });
});

describe('a mistake of the notation', () => {
  const problems = (text: string, fileName = 'flow.yaml') => {
    const loaded = loadSpec(text, fileName);
    return loaded.ok ? [] : loaded.problems;
  };

  it('is reported alone, with its line and what to write instead', () => {
    const jobs = Array.from(
      { length: 40 },
      (_, index) => `  - {name: j${index}_{sample}, command: echo {sample}}`,
    );
    expect(problems(`jobs:\n${jobs.join('\n')}\n`)).toEqual([
      {
        file: 'flow.yaml',
        path: '',
        line: 2,
        column: 15,
        message: 'a text with braces needs quotes here; quote it: "j0_{sample}"',
        frame: '  2 |   - {name: j0_{sample}, command: echo {sample}}\n    |               ^',
      },
    ]);
  });

  it.each([
    ['- {name: a, command: echo {x} {y} z, env: {}}', 'quote it: "echo {x} {y} z"'],
    ['- {name: {sample}_x, command: y}', 'quote it: "{sample}_x"'],
    ['- {name: [a], command: {x}}', 'expected a text, got an object with keys; put it in quotes: "{x}"'],
    ['- {name: a, command: "x" y}', 'there is text after the closing quote'],
  ])('%s says: %s', (line, words) => {
    expect(
      problems(`jobs:\n  ${line}\n`)
        .map(({ message }) => message)
        .join('\n'),
    ).toContain(words);
  });

  it('is an alias inside of what it repeats', () => {
    expect(problems('metadata: { a: &b [1, *b] }\njobs: []')).toMatchObject([
      { line: 1, column: 23, message: 'this alias repeats what it is a part of' },
    ]);
  });

  it('leaves keys that are given twice to be reported all at once', () => {
    expect(problems('name: a\nname: b\njobs: []\njobs: []\n').map(({ line }) => line)).toEqual([2, 4]);
  });

  it('shows a long line around its place, without signs that would move the terminal', () => {
    const [problem] = problems(`{jobs: ["${'x'.repeat(300)}\u001b[2J", "y" z]}`, 'flow.json5');
    const [line, mark] = problem!.frame!.split('\n');
    expect(line!.length).toBeLessThan(115);
    expect(line).not.toContain('\u001b');
    expect(line![mark!.indexOf('^')]).toBe('z');
  });
});
