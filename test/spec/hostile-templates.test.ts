import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkTemplate } from '../../src/spec/template/check-template.ts';
import { renderCommand } from '../../src/spec/template/render-command.ts';

let world: string;
beforeEach(() => {
  world = mkdtempSync(join(tmpdir(), 'holdfast-hostile-'));
  mkdirSync(join(world, 'bin'));
  // Each adds one call to `got`: the number of its words, and the words, each followed by a NUL.
  program('show', 'printf \'%s\\0\' "$#" "$@" >> "$WORLD/got"');
  program('show-env', 'printf \'%s\\0\' 1 "$V" >> "$WORLD/got"');
  program('show-stdin', "{ printf '1\\0'; cat; printf '\\0'; } >> \"$WORLD/got\"");
});
afterEach(() => rmSync(world, { recursive: true, force: true }));

function program(name: string, body: string): void {
  writeFileSync(join(world, 'bin', name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

function render(template: string, x: unknown): string {
  const rendered = renderCommand(template, { outputs: { x }, variables: {} });
  if (!rendered.ok) throw new Error(`${rendered.error}: ${template}`);
  return rendered.script;
}

/** Runs scripts as the launcher does, each in a shell of its own, in an empty directory; gives all calls. */
function callsOf(scripts: string[]): string[][] {
  const home = join(world, 'home');
  mkdirSync(home, { recursive: true });
  const file = join(world, 'script.sh');
  writeFileSync(file, scripts.map((script) => `(\n${script}\n)\n`).join(''));
  execFileSync('bash', [file], {
    cwd: home,
    env: { PATH: `${join(world, 'bin')}:${process.env.PATH}`, WORLD: world },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words = readFileSync(join(world, 'got'), 'utf8').split('\0').slice(0, -1);
  const calls: string[][] = [];
  while (words.length > 0) calls.push(words.splice(0, Number(words.shift())));
  return calls;
}

const X = '{{ outputs.x }}';

const VALUES: [string, string][] = [
  ['a command substitution', '$(touch canary)'],
  ['a substitution that closes what it stands in', '"$(touch canary)"\'$(touch canary)\'`touch canary`'],
  ['backticks', '`touch canary`'],
  ['quotes of all kinds', `it's "quoted" \\' \\" '"'"' ' "' $'\\'' $"x"`],
  ['a separator', '; touch canary #'],
  ['operators', '&& touch canary || touch canary | touch canary & touch canary > canary < canary'],
  ['a line of its own', '\ntouch canary\n'],
  ['lines that end nothing', 'a\n\nEOF\nE\n}\n)\ndone\nfi\nesac\n\n'],
  ['carriage returns', 'a\r\ntouch canary\r\n'],
  ['expansions', '$HOME ${HOME} $((1+1)) $[1+1] ${x:-y} $1 $@ $$ $! !!'],
  ['an array subscript', 'a[$(touch canary)]'],
  ['an assignment to one', 'a[$(touch canary)]=1'],
  ['the text of an array', '([a[$(touch canary)]]=$(touch canary))'],
  ['globs', '* ? [a-z]* {a,b} {1..3} ~ ~root @(a|b) **/*'],
  ['options', '-rf --version -- -c -e -n'],
  ['one dash', '-'],
  ['a backslash at the end', 'x\\'],
  ['backslashes', '\\ \\\\ \\n \\0 \\x41 \\$(touch canary) \\`'],
  ['formats', '%s %n %d %(%s)T %% %b\\c'],
  ['nothing', ''],
  ['spaces', '  a  b\t'],
  ['only line ends', '\n\n'],
  ['the names it is bound to', 'HF_1 $HF_1 ${HF_1} "${HF_1}" \'"${HF_1}"\''],
  ['a template', '{{ outputs.y }} {% raw %} {% if x %} }} %}'],
  ['a function in the environment', '() { touch canary; }; touch canary'],
  ['unicode', 'é e\u0301 漢字 🚀 \u202e \u2028 \uFEFF \u00a0'],
  [
    'control characters',
    `${Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join('')}\x7f\x80\x9f`,
  ],
  ['100 KB', 'x$(touch canary)\'"`\\\n'.repeat(4700)],
];

/** A template, and what the program must get for a value. */
const CONTEXTS: [string, string, (value: string) => string[]][] = [
  ['unquoted', `show ${X}`, (v) => [v]],
  ['after the end of options', `show -- ${X}`, (v) => ['--', v]],
  ['joined to a word', `show --a=${X}.txt`, (v) => [`--a=${v}.txt`]],
  ['twice in a row', `show ${X}${X}`, (v) => [v + v]],
  ['in double quotes', `show "a ${X} b"`, (v) => [`a ${v} b`]],
  ['in single quotes', `show 'a $x ${X} b'`, (v) => [`a $x ${v} b`]],
  ["in $'…'", `show $'a\\t${X}b\\''`, (v) => [`a\t${v}b'`]],
  ['in $"…"', `show $"a ${X} b"`, (v) => [`a ${v} b`]],
  ['in single quotes in double quotes', `show "a '${X}' b"`, (v) => [`a '${v}' b`]],
  ['in double quotes in single quotes', `show 'a "${X}" b'`, (v) => [`a "${v}" b`]],
  ['after escaped quotes', `show "a \\"${X}\\" b" \\'${X}`, (v) => [`a "${v}" b`, `'${v}`]],
  ['beside a tilde, a glob and braces', `show ~${X} *${X}* {a,${X}}`, (v) => [`~${v}`, `*${v}*`, 'a', v]],
  ['in a command substitution', `show "$(printf %s. ${X})"`, (v) => [`${v}.`]],
  ['in quotes in it', `show "$(printf %s. "<${X}>" '<${X}>')"`, (v) => [`<${v}>.<${v}>.`]],
  ['in one in another', `show "$(printf %s. "$(printf %s. "${X}")")"`, (v) => [`${v}..`]],
  ['in a process substitution', `show "$(cat <(printf %s. ${X}))"`, (v) => [`${v}.`]],
  ['in a subshell', `(show ${X})`, (v) => [v]],
  ['in a group', `{ show ${X}; }`, (v) => [v]],
  ['in a function', `f() { show ${X} "$1"; }\nf ${X}`, (v) => [v, v]],
  ['in a function with a keyword', `function f { local v=${X}; show "$v"; }\nf`, (v) => [v]],
  ['in a condition', `if [ ${X} = ${X} ]; then show ${X}; fi`, (v) => [v]],
  ['in a loop', `for v in a ${X}; do show "$v"; done | cat\nshow ${X}`, (v) => [v]],
  ['in a test', `[[ ${X} == ${X} && ! ${X} < ${X} ]] && show ${X}`, (v) => [v]],
  ['in a match', `[[ a${X}b =~ ^a${X}b$ ]] && show ${X}`, (v) => [v]],
  ['in a case and its pattern', `case ${X} in ${X}) show ${X};; *) show no;; esac`, (v) => [v]],
  ['in a case in a substitution', `show "$(case a in (a) printf %s. ${X};; esac)"`, (v) => [`${v}.`]],
  ['as an assigned variable', `v=${X}\nshow "$v"`, (v) => [v]],
  ['as part of one', `v=a"${X}"'${X}'\nv+=${X}\nshow "$v"`, (v) => [`a${v}${v}${v}`]],
  ['as a variable of one command', `V=${X} show-env`, (v) => [v]],
  ['as an exported variable', `export V=${X}\nshow-env`, (v) => [v]],
  ['as a declared variable', `declare -r v=${X}\nshow "$v"`, (v) => [v]],
  ['in an array', `v=(${X} b)\nv+=("${X}")\nshow "\${v[@]}"`, (v) => [v, 'b', v]],
  ['in a declared array', `declare -a v=(${X})\nshow "\${v[@]}"`, (v) => [v]],
  ['as an element', `v[2]=${X}\nshow "\${v[2]}"`, (v) => [v]],
  ['as the value of a key', `declare -A v\nv["k"]=${X}\nshow "\${v[k]}"`, (v) => [v]],
  ['as a here string', `show "$(cat <<< ${X}; printf .)"`, (v) => [`${v}\n.`]],
  ['as a here string without space', `show "$(cat <<<"${X}"; printf .)"`, (v) => [`${v}\n.`]],
  ['as the input of read', `IFS= read -r -d '' v <<< ${X}\nshow "$v"`, (v) => [`${v}\n`]],
  ['through a pipe', `printf %s ${X} | show-stdin`, (v) => [v]],
  ['as positional parameters', `set -- ${X}\nshow "$@"`, (v) => [v]],
  ['where words are split otherwise', `IFS='touch \n'\nshow ${X} "${X}"`, (v) => [v, v]],
  ['behind other commands', `command show ${X} && time env A=1 nice show ${X}`, (v) => [v]],
  ['instead of the shell', `(exec show ${X})`, (v) => [v]],
  ['in the background', `show ${X} &\nwait`, (v) => [v]],
  ['as an argument of a shell', `bash -c 'show "$1"' _ ${X}`, (v) => [v]],
  ['as an argument of one with options', `bash -e -o pipefail -c 'show "$1"' _ ${X}`, (v) => [v]],
  ['after redirections', `2>/dev/null show ${X} 2>&1 > out.txt ${X}`, (v) => [v, v]],
  ['after a continued line', `show \\\n  a${X} \\\n  '${X}'`, (v) => [`a${v}`, v]],
  ['after a comment', `# don't mind "${X}\nshow ${X} # nor ${X}`, (v) => [v]],
  ['after a heredoc', `cat > /dev/null <<'E'\nit's\nE\nshow ${X}`, (v) => [v]],
];

describe('a hostile value', () => {
  it.each(CONTEXTS)('reaches the program unchanged %s', (_, template, expected) => {
    expect(checkTemplate(template)).toMatchObject({ ok: true });
    // No program can be given a longer word.
    const values = VALUES.filter(([, value]) => expected(value).every((word) => word.length < 120_000));
    const calls = callsOf(values.map(([, value]) => render(template, value)));
    const perValue = calls.length / values.length;
    for (const [index, [name, value]] of values.entries()) {
      const own = calls.slice(index * perValue, (index + 1) * perValue);
      // Several calls of one template have the same words or a part of them; the last is the one told.
      expect(own.at(-1), name).toEqual(expected(value));
    }
    expect(readdirSync(join(world, 'home')).filter((file) => file !== 'out.txt')).toEqual([]);
  });

  it('names a file, and nothing else', () => {
    const values = VALUES.map(([, value]) => value).filter(
      (value) => Buffer.byteLength(value) < 200 && !/^$|\//.test(value),
    );
    callsOf(values.map((value) => render(`printf %s ok > ${X}\nshow "$(cat < ${X})"`, value)));
    expect(readdirSync(join(world, 'home')).sort()).toEqual([...new Set(values)].sort());
  });

  it.each<[string, unknown]>([
    ['a list', ['$(touch canary)', "it's", ['\n']]],
    ['an object', { '$(touch canary)': '`touch canary`', "'": '"' }],
    ['a number', -0.5],
    ['a boolean', false],
  ])('that is %s arrives as JSON', (_, value) => {
    const script = render(`show ${X} "${X}" '${X}' "$(printf %s ${X})"`, value);
    expect(callsOf([script])).toEqual([Array(4).fill(JSON.stringify(value))]);
    expect(readdirSync(join(world, 'home'))).toEqual([]);
  });

  it('reaches the program unchanged, whatever text it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'\'"`$(){}[];&|<>\\\n\t #*?~!-=%@+^:,./ab1 '), maxLength: 40 }),
    );
    const quotes = `show ${X} "${X}" '${X}' $'${X}' a${X}b "$(printf %s. '${X}')" "\${#HOME}"`;
    fc.assert(
      fc.property(
        fc.array(
          text.filter((value) => !/[\0\p{Surrogate}]/u.test(value)),
          { minLength: 1, maxLength: 20 },
        ),
        (values) => {
          rmSync(join(world, 'got'), { force: true });
          const calls = callsOf(values.map((value) => render(quotes, value)));
          expect(calls).toEqual(values.map((v) => [v, v, v, v, `a${v}b`, `${v}.`, '0']));
        },
      ),
      { numRuns: 15 },
    );
    expect(readdirSync(join(world, 'home'))).toEqual([]);
  });

  it.each([
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud800b'],
  ])('that cannot be given to a program is refused: %s', (_, value) => {
    const rendered = renderCommand(`show ${X}`, { outputs: { x: value }, variables: {} });
    expect(rendered).toMatchObject({ ok: false, error: expect.stringContaining('the value contains') });
  });
});

/** Where bash would look into a value, and run what is in it. */
const REFUSED: [string, string, string][] = [
  ['a heredoc', `cat <<E\n${X}\nE`, 'heredoc'],
  ['a quoted heredoc', `cat <<'E'\n${X}\nE`, 'heredoc'],
  ['the end of a heredoc', `cat <<${X}\nE`, 'heredoc'],
  ['backticks', `echo \`echo ${X}\``, '$( … ) instead'],
  ['arithmetic', `echo $(( ${X} ))`, 'arithmetic'],
  ['arithmetic after a quoted end', `echo $(( a["))"] + ${X} ))`, 'arithmetic'],
  ['old arithmetic', `echo $[ ${X} ]`, 'arithmetic'],
  ['old arithmetic in quotes', `echo "$[ a[1] + "${X}" ]"`, 'arithmetic'],
  ['an arithmetic loop', `for ((i = 0; i < ${X}; i++)); do :; done`, 'arithmetic'],
  ['a numeric test', `[[ 1 -eq ${X} ]]`, 'arithmetic'],
  ['a numeric test before it', `[[ ! ( ${X} -gt 1 ) ]]`, 'arithmetic'],
  ['a subscript', `a[${X}]=1`, 'arithmetic'],
  ['a quoted subscript', `a["${X}"]+=1`, 'arithmetic'],
  ['a subscript with spaces', `a[1 + ${X}]=1`, 'arithmetic'],
  ['a subscript in a list', `a=([${X}]=1)`, 'arithmetic'],
  ['a subscript with spaces in a list', `a+=(x ['1' + ${X}]=1)`, 'arithmetic'],
  ['an integer', `declare -i n=${X}`, 'arithmetic'],
  ['a variable that was made an integer', `f() { local -i n; n=${X}; }`, 'arithmetic'],
  ['a variable that is an integer', `RANDOM=${X}`, 'arithmetic'],
  ['an expansion', `echo "\${a:-${X}}"`, 'assign it to a variable first'],
  ['a name to test', `[ -v ${X} ]`, 'name of a variable'],
  ['a name to test in double brackets', `[[ -v a[${X}] ]]`, 'refused'],
  ['a name to test with test', `test -v "a[${X}]"`, 'name of a variable'],
  ['a name to read', `read -r "${X}" <<< x`, 'name of a variable'],
  ['a name to print into', `printf -v "a[${X}]" x`, 'name of a variable'],
  ['a name to unset', `unset "a[${X}]"`, 'name of a variable'],
  ['a name to declare', `declare "${X}=1"`, 'name of a variable'],
  ['a name of a local variable', `f() { local ${X}; }`, 'name of a variable'],
  ['a name to wait into', `wait -n -p ${X}`, 'name of a variable'],
  ['a reference', `declare -n r=${X}`, 'name of a variable'],
  ['the text of an array', `declare -a v=${X}`, 'text of an array'],
  ['the text of what was an array', `v=(1)\ndeclare v=${X}`, 'text of an array'],
  ['a duplicated descriptor', `echo x >& ${X}`, 'expands it twice'],
  ['a duplicated input', `cat <&${X}`, 'expands it twice'],
  ['code for eval', `eval "echo ${X}"`, 'code'],
  ['code for eval, quoted', `'eval' ${X}`, 'code'],
  ['code for eval, escaped', `\\eval ${X}`, 'code'],
  ['code for eval with nothing behind it', `eval"$nothing" ${X}`, 'code'],
  ['code for eval behind a redirection', `2>&1 >f eval ${X}`, 'code'],
  ['code for eval before a redirection', `eval 2>&1 ${X}`, 'code'],
  ['code for eval behind a prefix', `command -p eval ${X}`, 'code'],
  ['code for eval in a function', `function f { eval ${X}; }`, 'code'],
  ['code for eval in a coprocess', `coproc eval ${X}`, 'code'],
  ['what eval gets from a command', `eval "$(echo ${X})"`, 'code'],
  ['code for let', `let "n=${X}"`, 'code'],
  ['code for trap', `trap -- ${X} EXIT`, 'code'],
  ['code for an alias', `alias x=${X}`, 'code'],
  ['code for completions', `compgen -W ${X}`, 'code'],
  ['code for mapfile', `mapfile -C ${X} v < f`, 'code'],
  ['code for a shell', `bash -c "echo ${X}"`, 'code'],
  ['code for a shell after options', `bash -c -x -o pipefail -- "echo ${X}"`, 'code'],
  ['code for a shell, quoted', `"bash" '-c' ${X}`, 'code'],
  ['code for a shell that a variable names', `"$SHELL" -lc ${X}`, 'code'],
  ['code for a shell that another program starts', `timeout 5 env A=1 /bin/sh -ec ${X}`, 'code'],
  ['code for a shell, read from a text', `bash <<< ${X}`, 'code'],
  ['code for a shell, read before it is named', `<<< ${X} bash -s`, 'code'],
  ['code to source', `. /dev/stdin <<< "${X}"`, 'code'],
  ['a variable that every shell runs', `BASH_ENV=${X} ./x.sh`, 'code'],
  ['a variable that tracing runs', `export PS4=${X}`, 'code'],
  ['a function in the environment', `env "BASH_FUNC_echo%%=${X}" ./x.sh`, 'code'],
];

describe('a placeholder is refused in', () => {
  it.each(REFUSED)('%s', (_, template, expected) => {
    expect(checkTemplate(template)).toMatchObject({ ok: false, message: expect.stringContaining(expected) });
    const rendered = renderCommand(template, { outputs: { x: 'v' }, variables: {} });
    expect(rendered).toMatchObject({ ok: false, error: expect.stringContaining(expected) });
  });
});

describe('what only looks like such a place is accepted:', () => {
  it.each([
    `echo "list[${X}]" 'eval' ${X}`,
    `mytool eval --model ${X}`,
    `npm run let -- ${X}`,
    `v=(eval ${X})`,
    `grep -c ${X} file`,
    `git -c user.name=${X} log`,
    `ENV=${X} make`,
    `read -r -p ${X} answer`,
    `printf -v line '%s' ${X}`,
    `printf '%s' -v ${X}`,
    `test -n ${X} -a -v HOME`,
    `[ ${X} -gt 3 ]`,
    `export PATH="${X}:$PATH"`,
    `local v=${X}`,
    `echo x > ${X} 2>&1`,
    `echo x &> ${X}`,
    `bash script.sh ${X}`,
    `bash -c 'echo "$@"' name ${X} -c ${X}`,
    `echo $((1 << 2)) ${X}`,
    `a[1<<2]=3\necho ${X}`,
    `trap 'rm -f "$1"' EXIT; echo ${X}`,
    `case x in eval) echo ${X};; esac`,
    `declare -i n=3; m=${X}`,
  ])('%s', (template) => {
    expect(checkTemplate(template)).toMatchObject({ ok: true });
  });
});

/** Commands of the kinds that people write, with values anywhere in them; no variable is used as code or number. */
const script = (() => {
  const { list } = fc.letrec<{ word: string; command: string; list: string }>((tie) => ({
    word: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        X,
        X,
        `"${X}"`,
        `'${X}'`,
        `$'${X}'`,
        `a${X}`,
        `"a[${X}]=1"`,
        `w=${X}`,
        `-v`,
        '-c',
        '-i',
        '--',
      ),
      fc.constantFrom('a', "'b c'", '1', '-eq', '"$HOME"', '\\ ', 'eval', 'bash', 'a[0]', '=', '['),
      tie('list').map((inner) => `"$(${inner})"`),
    ),
    command: fc
      .tuple(
        fc.constantFrom(
          ...[
            'echo',
            'printf %s',
            'eval',
            '\\eval',
            'command -p eval',
            'bash',
            'bash -c',
            'bash -ec --',
            '"$SH" -c',
            'env bash -c',
          ],
          ...[
            '.',
            'trap',
            'trap --',
            'let',
            'declare',
            'declare -i',
            'declare -a',
            'declare -n',
            'local',
            'export',
            'readonly',
          ],
          ...[
            'read',
            'unset',
            'test',
            'test -v',
            'printf -v',
            'compgen -W',
            'alias',
            'mapfile -C',
            'set --',
            'exec',
          ],
          ...[
            '[[ -v',
            '[[ 1 -eq',
            '[[',
            '[',
            'v=',
            'v=(',
            'v=([',
            'a[',
            'OPTIND=',
            'PS4=',
            'time -p',
            '!',
            '>f',
            '2>&1',
          ],
        ),
        fc.array(tie('word'), { maxLength: 3 }),
        fc.constantFrom('', '', '', ' <<< ', ' >& ', ' <&', ' > ', ' 2>&1 '),
        tie('word'),
      )
      .map(([start, words, redirect, target]) => {
        const joint =
          /[=([]$/.test(start) && !start.endsWith(' [') && start !== '[' && start !== '[[' ? '' : ' ';
        const end =
          start === 'v=(['
            ? ']=1)'
            : start === 'v=('
              ? ')'
              : start === 'a['
                ? ']=1'
                : start.startsWith('[[')
                  ? ' ]]'
                  : start === '['
                    ? ' ]'
                    : '';
        return `${start}${joint}${words.join(' ')}${end}${redirect === '' ? '' : redirect + (redirect === ' 2>&1 ' ? '' : target)}`;
      }),
    list: fc.oneof(
      { depthSize: 'small' },
      tie('command'),
      fc
        .tuple(tie('command'), fc.constantFrom(' && ', '; ', '\n', ' | ', ' || '), tie('list'))
        .map((parts) => parts.join('')),
      tie('list').map((inner) => `( ${inner} )`),
      tie('list').map((inner) => `{ f() { ${inner}; }; f; }`),
      tie('list').map((inner) => `if ${inner}; then ${inner}; fi`),
      tie('list').map((inner) => `case a in a) ${inner};; esac`),
    ),
  }));
  return list.filter((text) => text.includes(X));
})();

const PAYLOADS = [
  'a[$(touch canary)]',
  '$(touch canary)',
  'touch canary',
  '([a[$(touch canary)]]=$(touch canary))',
  '\';touch canary;\'";touch canary;"',
  'x=1;touch canary',
];

describe('any script with values in it', () => {
  it('is refused, or runs nothing of them', () => {
    const home = join(world, 'home');
    let accepted = 0;
    fc.assert(
      fc.property(script, fc.constantFrom(...PAYLOADS), (template, payload) => {
        const rendered = renderCommand(template, { outputs: { x: payload }, variables: {} });
        if (!rendered.ok) return;
        accepted += 1;
        mkdirSync(home, { recursive: true });
        spawnSync('bash', ['-c', rendered.script], {
          cwd: home,
          // Functions that call each other must not fill the machine.
          env: { PATH: process.env.PATH, SH: 'bash', FUNCNEST: '20' },
          stdio: 'ignore',
          timeout: 20_000,
        });
        const ran = existsSync(join(home, 'canary'));
        rmSync(home, { recursive: true, force: true });
        expect(ran, template).toBe(false);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
