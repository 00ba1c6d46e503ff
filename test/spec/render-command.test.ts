import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderCommand } from '../../src/spec/template/render-command.ts';
import { courses } from '../property-runs.ts';

let world: string;
beforeEach(() => {
  world = mkdtempSync(join(tmpdir(), 'holdfast-template-'));
  // Adds the number of its arguments and the arguments to `got`, each followed by a NUL.
  writeFileSync(join(world, 'show'), '#!/bin/bash\nprintf \'%s\\0\' "$#" "$@" >> "$WORLD/got"\n', {
    mode: 0o755,
  });
});
afterEach(() => rmSync(world, { recursive: true, force: true }));

function render(template: string, outputs: Record<string, unknown> = {}): string {
  const rendered = renderCommand(template, { outputs, variables: {} });
  if (!rendered.ok) throw new Error(rendered.error);
  return rendered.script;
}

function refusal(template: string, outputs: Record<string, unknown> = { x: 'v' }): string {
  const rendered = renderCommand(template, { outputs, variables: {} });
  return rendered.ok ? `accepted: ${rendered.script}` : rendered.error;
}

/** Runs scripts one after another as the launcher does, and gives the arguments of each call of `show`. */
function callsOf(scripts: string[]): string[][] {
  const file = join(world, 'script.sh');
  writeFileSync(file, scripts.join('\n'));
  rmSync(join(world, 'got'), { force: true });
  execFileSync('bash', ['--norc', file], {
    cwd: world,
    env: { PATH: `${world}:${process.env.PATH}`, WORLD: world },
    stdio: 'pipe',
  });
  const words = readFileSync(join(world, 'got'), 'utf8').split('\0').slice(0, -1);
  const calls: string[][] = [];
  while (words.length > 0) calls.push(words.splice(0, Number(words.shift())));
  return calls;
}

function argumentsOf(script: string): string[] {
  return callsOf([script])[0]!;
}

const HOSTILE: [string, string][] = [
  ['a command substitution', '$(touch pwned)'],
  ['backticks', '`touch pwned`'],
  ['quotes', `it's "quoted" \\' \\" '"'"' '`],
  ['a separator', '; touch pwned #'],
  ['a pipe and a redirect', '| touch pwned > pwned & touch pwned'],
  ['newlines', 'a\ntouch pwned\n\nb\n'],
  ['expansions', '$HOME ${HOME} $((1+1)) ~ * ? [a-z]* {a,b} !!'],
  ['an array subscript', 'a[$(touch pwned)]'],
  ['a leading dash', '-rf --version'],
  ['a backslash at the end', 'x\\'],
  ['nothing', ''],
  ['spaces', '  a  b\t'],
  ['unicode', 'é 漢字 🚀 \u202e'],
  ['control characters', '\x01\x1b[31m\x7f'],
  ['100 KB', 'x$(touch pwned)y\n'.repeat(6400)],
];

const CONTEXTS: [string, string, (value: string) => string[]][] = [
  ['unquoted', 'show {{ outputs.x }}', (value) => [value]],
  ['joined to a word', 'show --a={{ outputs.x }}.txt', (value) => [`--a=${value}.txt`]],
  ['in double quotes', 'show "a {{ outputs.x }} b"', (value) => [`a ${value} b`]],
  ['in single quotes', "show 'a $x {{ outputs.x }} b'", (value) => [`a $x ${value} b`]],
  ["in $'…'", "show $'a\\t{{ outputs.x }}b'", (value) => [`a\t${value}b`]],
  ['in a command substitution', 'show "$(printf \'%s.\' {{ outputs.x }})"', (value) => [`${value}.`]],
  ['in quotes in it', 'show "$(printf \'%s.\' "<{{ outputs.x }}>")"', (value) => [`<${value}>.`]],
  ['in a subshell', '(show {{ outputs.x }})', (value) => [value]],
  [
    'in a case in a substitution',
    'show "$(case a in a) printf %s. {{ outputs.x }};; esac)"',
    (value) => [`${value}.`],
  ],
  ['as an assigned variable', 'v={{ outputs.x }}\nshow "$v"', (value) => [value]],
  ['in an array', 'v=({{ outputs.x }} b)\nshow "${v[@]}"', (value) => [value, 'b']],
  ['as a here string', 'show "$(cat <<< {{ outputs.x }}; printf .)"', (value) => [`${value}\n.`]],
  ['after a comment', "# don't mind {{ outputs.x }}\nshow {{ outputs.x }}", (value) => [value]],
  ['after a heredoc', "cat > /dev/null <<'E'\nit's\nE\nshow {{ outputs.x }}", (value) => [value]],
  ['in a test', '[[ {{ outputs.x }} == {{ outputs.x }} ]] && show {{ outputs.x }}', (value) => [value]],
  ['as an argument of a shell', 'bash -c \'show "$1"\' _ {{ outputs.x }}', (value) => [value]],
];

describe('a value in a command', () => {
  it.each(CONTEXTS)('reaches the program unchanged %s', (_, template, expected) => {
    const values = HOSTILE.map(([, value]) => value);
    expect(callsOf(values.map((x) => render(template, { x })))).toEqual(values.map(expected));
    expect(readdirSync(world).sort()).toEqual(['got', 'script.sh', 'show']);
  });

  it('reaches the program unchanged, whatever it is', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'\'"`$(){}[];&|<>\\\n #*?~!-=ab1 '),
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 20 }), (values) => {
        const template = `show {{ outputs.x }} "{{ outputs.x }}" '{{ outputs.x }}'`;
        const scripts = values.map((x) => render(template, { x }));
        expect(callsOf(scripts)).toEqual(values.map((x) => [x, x, x]));
      }),
      { numRuns: courses(20) },
    );
  });

  it.each<[string, unknown, string]>([
    ['a number', 3.5, '3.5'],
    ['a boolean', false, 'false'],
    ['an object', { a: [1, 'x y'] }, '{"a":[1,"x y"]}'],
    ['a list', ['a b', 2], '["a b",2]'],
  ])('is text: %s', (_, value, text) => {
    expect(argumentsOf(render('show {{ outputs.x }}', { x: value }))).toEqual([text]);
  });

  it('passes through filters before it is bound', () => {
    expect(argumentsOf(render('show {{ outputs.x | join: "; " | upcase }}', { x: ['a', '$(b)'] }))).toEqual([
      'A; $(B)',
    ]);
  });

  it('can be chosen by conditions and loops', () => {
    const template =
      '{% assign n = outputs.x | size %}show{% for item in outputs.x %} {{ item }}{% endfor %}{% if n > 1 %} many{% endif %} {{ outputs.y | default: "none" }}';
    expect(argumentsOf(render(template, { x: ['a b', "it's"] }))).toEqual(['a b', "it's", 'many', 'none']);
  });

  it.each<[string, string, string[]]>([
    ['as text', 'show "{{ outputs.a }}" {{ outputs.a.b.c }} {{ outputs.a | upcase }}', ['', '', '']],
    ['in a condition', 'show {% if outputs.a %}yes{% else %}no{% endif %}', ['no']],
    ['in a loop', 'show x{% for item in outputs.a %} {{ item }}{% endfor %}', ['x']],
    ['with a default', 'show {{ outputs.a | default: "none" }}', ['none']],
    ['as raw text', 'show x{{ outputs.a | raw }}', ['x']],
    ['as an item where there is none', 'show "{{ foreach.key }}"', ['']],
    ['as failures of something that has none', 'show x{% for f in failures.a %} y{% endfor %}', ['x']],
  ])('that does not exist when it runs is empty %s', (_, template, expected) => {
    expect(argumentsOf(render(template))).toEqual(expected);
  });

  it('can be the item that the step runs for', () => {
    const foreach = { key: "it's", index: 1, total: 3, path: 'list[1]' };
    const rendered = renderCommand(
      'show {{ foreach.key }} {{ foreach.index | plus: 1 }}/{{ foreach.total }} {{ foreach.path }} {{ outputs.list }}',
      { outputs: { list: { a: 1 } }, variables: {}, foreach },
    );
    expect(rendered.ok && argumentsOf(rendered.script)).toEqual(["it's", '2/3', 'list[1]', '{"a":1}']);
  });

  it('can list items that failed', () => {
    const failures = { p: [{ key: 'b', index: 1, status: 'failed' as const, error: 'exit code 1; $(x)' }] };
    const rendered = renderCommand(
      'show {{ outputs.p | size }}{% for f in failures.p %} {{ f.key }}: {{ f.error }}{% endfor %}',
      { outputs: { p: ['x', 'z'] }, variables: {}, failures },
    );
    expect(rendered.ok && argumentsOf(rendered.script)).toEqual(['2', 'b:', 'exit code 1; $(x)']);
  });

  it('is inserted as text with raw', () => {
    expect(render('show {{ outputs.x | raw }}', { x: '-a -b' })).toBe('show -a -b');
  });

  it('in a comment is dropped', () => {
    expect(render('true # {{ outputs.x }}', { x: 'a\ntouch pwned' })).toMatch(/\ntrue # $/);
  });
});

describe('a placeholder is refused', () => {
  it.each<[string, string, string]>([
    ['in a heredoc', 'cat <<EOF\n{{ outputs.x }}\nEOF', 'line 2: a placeholder in a heredoc is refused'],
    ['in a quoted heredoc', "cat <<-'EOF'\n\t{{ outputs.x }}\n\tEOF", 'heredoc'],
    ['as the delimiter of a heredoc', 'cat <<{{ outputs.x }}\nEOF', 'heredoc'],
    ['in the second of two heredocs', 'cat <<A <<B\na\nA\n{{ outputs.x }}\nB', 'heredoc'],
    ['in backticks', 'echo `echo {{ outputs.x }}`', 'use $( … ) instead'],
    ['in arithmetic', 'echo $(( {{ outputs.x }} + 1 ))', 'arithmetic'],
    ['in an arithmetic command', '(( n = {{ outputs.x }} ))', 'arithmetic'],
    ['in a substitution in arithmetic', 'echo $(( $(echo {{ outputs.x }}) ))', 'arithmetic'],
    ['in a numeric test', '[[ "{{ outputs.x }}" -gt 3 ]]', 'arithmetic'],
    ['on the other side of a numeric test', '[[ 3 -lt ( {{ outputs.x }} ) ]]', 'arithmetic'],
    ['in an array subscript', 'a[{{ outputs.x }}]=1', 'arithmetic'],
    ['in an integer declaration', 'declare -i n={{ outputs.x }}', 'arithmetic'],
    ['in an expansion', 'echo "${a:-{{ outputs.x }}}"', 'assign it to a variable first'],
    ['in code for eval', 'eval "echo {{ outputs.x }}"', 'pass it as an argument'],
    ['in code for let', 'let n={{ outputs.x }}', 'pass it as an argument'],
    ['in code for trap', 'trap "echo {{ outputs.x }}" EXIT', 'pass it as an argument'],
    ['in code for a shell', 'env A=1 /bin/sh -ec "echo {{ outputs.x }}"', 'pass it as an argument'],
    ['after a backslash', 'echo \\{{ outputs.x }}', 'backslash'],
    ['after a backslash in quotes', 'echo "\\{{ outputs.x }}"', 'backslash'],
    ['after a dollar sign', 'echo ${{ outputs.x }}', 'write \\$'],
    ['for an unknown part of a value', 'echo {{ outputs.x.nope }}', '"outputs.x.nope" does not exist'],
    ['with an unknown filter', 'echo {{ outputs.x | shout }}', 'there is no filter "shout"'],
  ])('%s', (_, template, expected) => {
    expect(refusal(template)).toContain(expected);
  });

  it('for null and NUL, naming the placeholder', () => {
    expect(refusal('echo {{ outputs.x }}', { x: null })).toContain('{{ outputs.x }}: the value is null');
    expect(refusal('echo {{ outputs.x }}', { x: 'a\0b' })).toContain('NUL');
    expect(refusal('echo {{ outputs.x | raw }}', { x: '\x001\0' })).toContain('NUL');
  });

  it.each(['include "x"', 'render "x"', 'layout "x"', 'echo outputs.x', 'cycle outputs.x', 'capture v'])(
    'with the tag {%% %s %%}',
    (tag) => {
      expect(refusal(`{% ${tag} %}`)).toMatch(/the tag ".*" cannot be used in a command/);
    },
  );

  it('when rendering would not end', () => {
    expect(refusal('{% for i in (1..100000000) %}{{ i }}{% endfor %}')).toMatch(
      /it takes too (long|much memory)/,
    );
  });
});
