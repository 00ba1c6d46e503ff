import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marker } from '../../src/spec/template/place-values.ts';
import { ShellScanner } from '../../src/spec/template/shell-scanner.ts';
import { courses } from '../property-runs.ts';
import { contextAt, reachesShell } from './bash-syntax.ts';

const VALUE = 'VALUE';

/** What the scanner makes of a script with values. */
function scanned(script: string): { contexts: string[]; late: string | undefined } {
  let count = 0;
  const scanner = new ShellScanner(script.replaceAll(VALUE, () => marker(++count)));
  const contexts = [...scanner.pieces()].flatMap((piece) => (piece.kind === 'value' ? [piece.context] : []));
  return { contexts, late: scanner.late?.refusal };
}

const valueWords = [VALUE, `"${VALUE}"`, `'${VALUE}'`, `$'${VALUE}'`, `a${VALUE}b`, `"a '${VALUE}' b"`];
const plainWords = [
  'a',
  "'b; c'",
  '"d | e"',
  '\\"',
  "\\'",
  '\\ ',
  "$'\\''",
  '"\\""',
  '$HOME',
  'a#b',
  '-x',
  '{a,b}',
];
const oddWords = [
  `$((1 + ${VALUE}))`,
  `\${a:-${VALUE}}`,
  `"\${a:-'${VALUE}'}"`,
  `\`echo ${VALUE}\``,
  '$(( (1) ))',
];
const separators = [
  ' && ',
  ' || ',
  '; ',
  '\n',
  ' &\n',
  ' | ',
  ' |& ',
  ' |\n',
  ` # it's "${VALUE}\n`,
  ' \\\n&& ',
];

const isProcess = (word: string) => word.startsWith('<(');

/** Scripts of a grammar over these programs; `extra` are words that only one of the tests can use. */
function scripts(programs: string[], extra: string[]): fc.Arbitrary<string> {
  const { list } = fc.letrec<{ word: string; command: string; list: string }>((tie) => {
    const inner = tie('list').map((text) => (text.endsWith('\n') ? text : `${text}\n`));
    return {
      word: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(...valueWords, ...plainWords, ...plainWords, ...extra),
        inner.map((text) => `"$( ${text})"`),
        inner.map((text) => `$( ${text})`),
        inner.map((text) => `<( ${text})`),
      ),
      command: fc
        .tuple(
          fc.constantFrom('', '', '2>&1 ', 'A=1 '),
          fc.constantFrom(...programs),
          fc.oneof(
            { weight: 5, arbitrary: fc.array(tie('word'), { maxLength: 3 }) },
            { weight: 1, arbitrary: inner.map((text) => [`<( ${text})`]) },
          ),
          fc.oneof(
            { weight: 5, arbitrary: fc.constantFrom('', '', ' > f', ' 2>/dev/null') },
            { weight: 1, arbitrary: tie('word').map((word) => ` <<< ${word}`) },
            { weight: 1, arbitrary: fc.constant(' < input') },
          ),
        )
        .map(([before, program, words, redirect]) => {
          // Of its own words a shell takes only this one as code, or none.
          const taken = /^(?:env )?(?:bash|sh)(?: -s)?$/.test(program)
            ? words.slice(0, 1).filter(isProcess)
            : words;
          return [before + program, ...taken].join(' ') + redirect;
        }),
      list: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        tie('command'),
        fc
          .tuple(tie('list'), fc.constantFrom(...separators), tie('list'))
          .map(([left, between, right]) => (left.endsWith('\n') ? left + right : left + between + right)),
        // Without the space two parentheses may be arithmetic, and are taken for it.
        inner.map((text) => `( ${text})`),
        inner.map((text) => `(cd /\n${text})`),
        inner.map((text) => `{ ${text}}`),
        inner.map((text) => `if ${text}then\n${text}fi`),
        inner.map((text) => `for v in a 'b'; do ${text}done`),
        inner.map((text) => `while ${text}do ${text}done`),
        inner.map((text) => `case a in (a|b) ${text};; *) ${text}esac`),
        fc
          .tuple(tie('command'), fc.constantFrom('E', "'E'", '-E'))
          .map(([command, mark]) => `${command} <<${mark}\nit's "a $( '\n${mark === '-E' ? '\t' : ''}E\n`),
      ),
    };
  });
  return list.filter((text) => text.includes(VALUE) && text.length < 2_000);
}

describe('the scanner agrees with a parser of bash', () => {
  it('about the quotes around every value', () => {
    const seen = new Set<string>();
    const programs = ['echo', 'cat', 'printf %s', 'run', ': ', 'true &&\n  echo'];
    fc.assert(
      fc.property(scripts(programs, oddWords), (script) => {
        const expected = [...script.matchAll(new RegExp(VALUE, 'g'))].map(({ index }) =>
          contextAt(script, index),
        );
        for (const context of expected) seen.add(context);
        expect(scanned(script)).toEqual({ contexts: expected, late: undefined });
      }),
      { numRuns: courses(1_500) },
    );
    expect([...seen].sort()).toEqual(
      ['ansi', 'arithmetic', 'backtick', 'comment', 'double', 'parameter', 'single', 'unquoted'].sort(),
    );
  });

  it('about the values that get to a shell', () => {
    const reached = { true: 0, false: 0 };
    const programs = ['echo', 'echo', 'cat', 'run', 'bash', 'sh -s', 'bash s.sh', '.', 'source', 'env sh'];
    fc.assert(
      fc.property(scripts(programs, []), (script) => {
        const expected = reachesShell(script, VALUE);
        reached[`${expected}`] += 1;
        const { contexts, late } = scanned(script);
        expect([...contexts, late].includes('code')).toBe(expected);
      }),
      { numRuns: courses(1_500) },
    );
    expect(Math.min(reached.true, reached.false)).toBeGreaterThan(200);
  });
});
