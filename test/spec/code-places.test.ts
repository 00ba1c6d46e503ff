import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument, type Scalar } from 'yaml';
import { LineIndex } from '../../src/spec/source/line-index.ts';
import { readSource } from '../../src/spec/source/read-source.ts';
import { courses } from '../property-runs.ts';
import { problemsOf } from './spec-text.ts';

/** The marked place: `@` stands in front of what is wrong, and is taken out. */
function marked(text: string): { text: string; line: number; column: number } {
  const at = text.indexOf('@');
  return { text: text.replace('@', ''), ...new LineIndex(text).place(at) };
}

function placesOf(text: string, fileName = 'flow.yaml') {
  return problemsOf(text, fileName).map(({ line, column }) => ({ line, column }));
}

const BODY = (notation: string) =>
  `steps:\n  a: { exec: x }\n  b:\n    exec: x\n    on_fail:\n      goto_js: ${notation}\n`;
const EXPRESSION = (notation: string) => `steps:\n  b:\n    exec: x\n    if: ${notation}\n    tags: []\n`;

const NOTATIONS: [string, string][] = [
  ['a literal block', BODY("|\n        // one\n        return @'x")],
  ['a literal block with a comment in its head', BODY("| # why\n        const a = 1;\n        return @'x\n")],
  ['a literal block that says its indent', BODY('|2\n          let a = @) ;\n        return a')],
  [
    'a literal block after empty lines',
    BODY('|-\n\n\n        return 1;\n\n          foo(@;\n        return 2'),
  ],
  ['a literal block with tabs', BODY('|\n        if (1) {\n        \t\treturn @) ;\n        }\n')],
  ['a folded block', BODY(">\n        const a = 1;\n        const b = 2;\n\n        return @'x")],
  [
    'a folded block with an indented part',
    BODY('>-\n        const a = [\n          1,\n          2]; @)\n        '),
  ],
  ['a plain text', BODY('const a = @= 1')],
  ['a plain text over several lines', BODY('const a = 1;\n        const b = 2;\n\n        return a @b;')],
  ['single quotes', BODY("'const it = ''s''; return @)'")],
  ['single quotes over several lines', BODY("'const it = ''s'';\n        return @)'")],
  ['double quotes', BODY('"const a = \\"\\x41\\u00e9\\U0001F600\\"; return @)"')],
  ['double quotes with escaped lines', BODY('"const a = 1;\\n\\n  const b = 2;\\nreturn @)"')],
  ['double quotes over several lines', BODY('"const a = \\\n        1;\n        return @)"')],
  ['a flow map', 'steps: { a: { exec: x }, b: { exec: x, on_fail: { run_js: "return @)" } } }\n'],
  [
    'a text that an alias repeats',
    'metadata: { code: &c "return @)" }\nsteps: { b: { exec: x, on_fail: { run_js: *c } } }\n',
  ],
  [
    'routing.defaults',
    'routing:\n  defaults:\n    on_fail:\n      run_js: |\n        return [\n          @)\n        ];\nsteps: { a: { exec: x } }\n',
  ],
  [
    'goto_js in routing.defaults',
    'routing: { defaults: { on_fail: { goto_js: "a @b" } } }\nsteps: { a: { exec: x } }\n',
  ],
  [
    'on_success',
    'steps:\n  b:\n    exec: x\n    on_success:\n      run_js: >\n        [1,\n        2,\n        @)]\n',
  ],
  ['a job', 'jobs:\n  - name: a\n    command: x\n    on_fail:\n      run_js: |\n        return @)\n'],
  ['if as a plain text', EXPRESSION('attempt === @) 1')],
  ['if as a block', EXPRESSION('|\n      outputs.a &&\n        outputs.b @outputs.c')],
  ['if folded', EXPRESSION('>-\n      outputs.a &&\n      outputs.b\n      @outputs.c')],
  ['a statement for an expression', EXPRESSION("'@return 1'")],
  ['a bracket too many', EXPRESSION("'(1 + 2) @) )'")],
  ['fail_if', 'steps:\n  b: { exec: x, fail_if: "output.x @x" }\n'],
  ['an unclosed call, at its end', EXPRESSION("'outputs.a(1@'")],
  ['a very long line', EXPRESSION(`'a ${'+ 1 '.repeat(600)} @b'`)],
  ['an unfinished expression, at its end', EXPRESSION("'outputs.a ? 1@'")],
  ['an unclosed block, at its end', BODY('|\n        if (attempt > 1) {\n          return 1;@\n\n')],
];

describe('a mistake in code is reported at its place', () => {
  it.each(NOTATIONS)('in %s', (_, written) => {
    const { text, line, column } = marked(written);
    expect(placesOf(text)).toEqual([{ line, column }]);
  });

  it.each([
    ['flow.json', '{"steps": {"b": {"exec": "x", "if": "1 +\\n \\"a\\" @) 2"}}}'],
    ['flow.json5', "{steps: {b: {exec: 'x', on_fail: {goto_js: 'return \\\n@) 2'}}}}"],
  ])('in %s', (fileName, written) => {
    const { text, line, column } = marked(written);
    expect(placesOf(text, fileName)).toEqual([{ line, column }]);
  });

  it('for every piece of code of a spec', () => {
    const bad = '"1 )"';
    const text = `routing: { defaults: { on_fail: { run_js: ${bad}, goto_js: ${bad} } } }
steps:
  a: { exec: x, if: ${bad}, fail_if: ${bad}, on_fail: { run_js: ${bad}, goto_js: ${bad} }, on_success: { run_js: ${bad}, goto_js: ${bad} } }
`;
    expect(problemsOf(text).map(({ path }) => path)).toEqual([
      'routing.defaults.on_fail.run_js',
      'routing.defaults.on_fail.goto_js',
      'steps.a.if',
      'steps.a.fail_if',
      'steps.a.on_fail.run_js',
      'steps.a.on_fail.goto_js',
      'steps.a.on_success.run_js',
      'steps.a.on_success.goto_js',
    ]);
  });

  // V8's own parser aborts the process on these.
  it.each(['class A{.../*', 'class A{...`'])('in %s, and lives on', (code) => {
    expect(placesOf(EXPRESSION(`'${code}'`))).toHaveLength(1);
  });
});

describe('a place in a text', () => {
  it('is found in every notation that YAML has for it', () => {
    const text = fc
      .array(
        fc.constantFrom('a', 'é', '🚀', "'", '"', '\\', '#', ': ', ' ', '  ', '\n', '\n\n', '\t', '- '),
        {
          minLength: 1,
          maxLength: 20,
        },
      )
      .map((parts) => parts.join(''));
    const notation = fc.constantFrom<Scalar.Type[]>(
      'BLOCK_LITERAL',
      'BLOCK_FOLDED',
      'QUOTE_DOUBLE',
      'QUOTE_SINGLE',
      'PLAIN',
    );
    let checked = 0;
    fc.assert(
      fc.property(text, notation, fc.nat(40), (value, type, at) => {
        const document = parseDocument('k:\n  l: x\n');
        const scalar = document.getIn(['k', 'l'], true) as Scalar;
        scalar.value = value;
        scalar.type = type;
        const file = document.toString({ lineWidth: 30 });
        const offset = value.search(/\S/) < 0 ? -1 : at % value.length;
        // A character that is named by its unit, and stands for itself in the file.
        if (offset < 0 || !/[aé'"#]/.test(value[offset]!)) return;
        const source = readSource(file, 'flow.yaml');
        if (!source.ok || (source.value as { k: { l: string } }).k.l !== value) return;
        const before = value.slice(0, offset).split('\n');
        const inside = { line: before.length, column: before.at(-1)!.length + 1 };
        const found = source.locate(['k', 'l'], { inside });
        const line = file.split('\n')[found.line - 1]!;
        const shown = line.slice(found.column - 1);
        const escaped =
          value[offset] === '"' ? /^\\?"/ : value[offset] === "'" ? /^'/ : new RegExp(`^${value[offset]}`);
        expect(shown, JSON.stringify({ file, inside })).toMatch(escaped);
        checked += 1;
      }),
      { numRuns: courses(500) },
    );
    expect(checked).toBeGreaterThan(50);
  });
});
