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
import { courses } from '../property-runs.ts';

let world: string;
beforeEach(() => {
  world = mkdtempSync(join(tmpdir(), 'holdfast-hostile-'));
  mkdirSync(join(world, 'bin'));
  // Each adds one call to `got`: the number of its words, and the words, each followed by a NUL.
  program('show', 'printf \'%s\\0\' "$#" "$@" >> "$WORLD/got"');
  program('show-env', 'printf \'%s\\0\' 1 "$V" >> "$WORLD/got"');
  program('show-stdin', "{ printf '1\\0'; cat; printf '\\0'; } >> \"$WORLD/got\"");
});
afterEach(() => rmSync(world, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

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
  execFileSync('bash', ['--norc', file], {
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
      // Several calls of one template have the same words or a part of them; the last is the one reported.
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
      { numRuns: courses(15) },
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
  ['arithmetic, by a variable', `n=${X}; echo $((n + 1))`, 'arithmetic'],
  ['arithmetic, by an expanded variable', `n=${X}; echo "$((1 + \${n}))"`, 'arithmetic'],
  ['old arithmetic, by a variable', `n=${X}; echo $[n]`, 'arithmetic'],
  ['an arithmetic command, by a variable', `n=${X}; if (( n > 3 )); then :; fi`, 'arithmetic'],
  ['an arithmetic loop, by a variable', `n=${X}; for ((i = 0; i < n; i++)); do :; done`, 'arithmetic'],
  ['quoted arithmetic, by a variable', `n=${X}; echo $(("n"))`, 'arithmetic'],
  ['arithmetic, by a variable of a variable', `v=${X}; n=a$v; echo $((n))`, 'arithmetic'],
  ['arithmetic, by what is read', `read -r n <<< ${X}; echo $((n))`, 'arithmetic'],
  ['arithmetic, by a file', `echo ${X} > f; echo $(( $(cat f) + 1 ))`, 'arithmetic'],
  ['arithmetic, by backticks', `v=${X}; echo $(( \`echo $v\` ))`, 'arithmetic'],
  ['arithmetic in a heredoc, by a variable', `n=${X}\ncat <<E\n$((n + 1))\nE`, 'arithmetic'],
  ['a subscript in a heredoc, by a variable', `n=${X}\ncat <<E\n\${a[n]}\nE`, 'arithmetic'],
  ['arithmetic of a function', `f() { echo $(( $1 + 1 )); }; f ${X}`, 'arithmetic'],
  ['arithmetic of another shell', `bash -c 'echo $(( $1 + 1 ))' _ ${X}`, 'arithmetic'],
  ['a numeric test, by a variable', `n=${X}; [[ $n -gt 3 ]]`, 'arithmetic'],
  ['a numeric test, by a name', `n=${X}; [[ 3 -lt n ]]`, 'arithmetic'],
  ['a subscript, by a variable', `v=${X}; a[-v]=1`, 'arithmetic'],
  ['a subscript in a list, by a variable', `v=${X}; a=([$v]=1)`, 'arithmetic'],
  ['a subscript that is read, by a variable', `v=${X}; echo "\${a[v]}"`, 'arithmetic'],
  ['the place of a part of a text', `v=${X}; echo "\${HOME:v:1}"`, 'arithmetic'],
  ['the place of a part of a list', `v=${X}; echo "\${a[@]:$v}"`, 'arithmetic'],
  ['an integer, by a variable', `v=${X}; declare -i n=$v`, 'arithmetic'],
  ['an integer, by a name', `v=${X}; declare -i n; n=v`, 'arithmetic'],
  ['a variable that becomes an integer', `n=${X}; declare -i n; n+=1`, 'arithmetic'],
  ['code for let, by a variable', `v=${X}; let n=v`, 'arithmetic'],
  ['a name, by a variable', `v=${X}; echo "\${!v}"`, 'name of a variable'],
  ['a name to unset, by a variable', `v=${X}; unset "$v"`, 'name of a variable'],
  ['a name to read, by a variable', `v=${X}; read -r "$v" <<< x`, 'name of a variable'],
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
  [
    'code of a shell that a variable names, which reads its input',
    `"$SH" -c bash "$(echo)" <<< ${X}`,
    'another shell',
  ],
  ['the input of a shell in a function', `f() { bash <<< ${X}; }; f`, 'another shell'],
  ['a variable that every shell runs', `BASH_ENV=${X} ./x.sh`, 'code'],
  ['a variable that tracing runs', `export PS4=${X}`, 'code'],
  ['a function in the environment', `env "BASH_FUNC_echo%%=${X}" ./x.sh`, 'code'],
  ['a variable that git runs', `GIT_SSH_COMMAND="ssh -i ${X}" git fetch`, 'code'],
  ['a variable with options of Node', `NODE_OPTIONS=--title=${X} node x.js`, 'code'],
  ['a pipe to a shell', `echo ${X} | bash`, 'another shell'],
  ['a pipe to a shell over lines', `echo ${X} |\n  # now\n  sh -s -- a`, 'another shell'],
  ['a pipe with errors to a shell', `echo ${X} |& sh`, 'another shell'],
  [
    'a pipe through other programs',
    `printf '%s\\n' "${X}" | sort | tee log | sudo -u me /bin/bash -x`,
    'another shell',
  ],
  ['a pipe to the input by name', `echo ${X} | bash /dev/stdin`, 'another shell'],
  ['a pipe to a dash', `echo ${X} | bash -`, 'another shell'],
  ['a pipe to a shell in a container', `echo ${X} | docker exec -i box sh`, 'another shell'],
  ['a pipe to a shell of another user', `echo ${X} | su me`, 'another shell'],
  ['a pipe to a shell on another machine', `echo ${X} | ssh -p 22 host`, 'another shell'],
  ['a pipe to a shell that a variable names', `echo ${X} | "$SHELL"`, 'another shell'],
  ['a pipe to another language', `echo ${X} | python3 -`, 'another shell'],
  ['a pipe to at', `echo ${X} | at now`, 'another shell'],
  ['a pipe to source', `echo ${X} | . /dev/stdin`, 'another shell'],
  ['a pipe out of braces', `{ echo a; echo ${X}; } | bash`, 'another shell'],
  ['a pipe out of a subshell', `(cd /tmp; echo ${X}) | bash`, 'another shell'],
  ['a pipe out of a loop', `for f in a b; do echo $f ${X}; done | bash`, 'another shell'],
  ['a pipe out of an if', `if true; then echo ${X}; fi | bash`, 'another shell'],
  ['a pipe into braces', `echo ${X} | { read -r a; bash; }`, 'another shell'],
  ['a pipe into a subshell', `echo ${X} | (cd /tmp && bash)`, 'another shell'],
  ['a pipe into an if', `echo ${X} | if true; then bash; fi`, 'another shell'],
  ['a pipe from a function', `f() { echo ${X}; }; f | bash`, 'another shell'],
  ['a pipe into a function', `function f { bash; }; echo ${X} | f`, 'another shell'],
  ['a pipe in a substitution', `v="$(echo ${X} | bash)"`, 'another shell'],
  ['a pipe whose value is further in', `echo "$(printf %s "$(echo ${X})")" | bash`, 'another shell'],
  ['a pipe of a variable in backticks', `v=${X}; w=\`echo $v | sh\``, 'another shell'],
  ['a text for braces', `{ bash; } <<< ${X}`, 'another shell'],
  ['a text for a subshell', `(bash) <<< ${X}`, 'another shell'],
  ['the input of the shell itself', `exec < <(echo ${X}); bash`, 'another shell'],
  ['a heredoc of a variable', `v=${X}\nbash <<E\necho $v\nE`, 'another shell'],
  ['a process substitution to source', `source <(echo ${X})`, 'another shell'],
  ['a process substitution to a dot', `. <(echo ${X})`, 'another shell'],
  ['a process substitution to a shell', `bash <(echo ${X})`, 'another shell'],
  ['a process substitution after options', `bash -x -o pipefail <(echo ${X}) a`, 'another shell'],
  ['a process substitution as input', `bash < <(echo ${X})`, 'another shell'],
  ['a process substitution as startup', `bash --rcfile <(echo ${X}) -i x`, 'another shell'],
  ['a process substitution to another language', `python3 <(echo ${X})`, 'another shell'],
  ['a process that is written to', `echo ${X} > >(bash)`, 'another shell'],
  ['a process that tee writes to', `echo ${X} | tee >(bash) > /dev/null`, 'another shell'],
  ['a coprocess', `coproc bash; echo ${X} >&"\${COPROC[1]}"`, 'another shell'],
  ['a named coprocess', `coproc C { bash; }; echo ${X} >&"\${C[1]}"`, 'another shell'],
  ['a variable for eval', `v=${X}; eval "echo $v"`, 'another shell'],
  ['a variable of a variable for eval', `v=${X}; w="a \${v%x}"; eval "$w"`, 'another shell'],
  ['an array for eval', `v=(a ${X}); eval "\${v[@]}"`, 'another shell'],
  ['a substituted variable for a shell', `v=$(echo ${X}); bash -c "$v"`, 'another shell'],
  ['an exported variable for trap', `export v=${X}; trap "rm $v" EXIT`, 'another shell'],
  ['a variable of a loop', `for v in a ${X}; do eval "$v"; done`, 'another shell'],
  ['a variable that is read', `echo ${X} | while read -r l; do eval "$l"; done`, 'another shell'],
  ['a variable that is read from a text', `while read -r l; do sh -c "$l"; done <<< ${X}`, 'another shell'],
  ['a variable that printf sets', `printf -v v %s ${X}; eval "$v"`, 'another shell'],
  ['a variable without quotes as a command', `v=${X}; $v`, 'another shell'],
  ['a variable without quotes behind a wrapper', `v=${X}; sudo -n $v`, 'another shell'],
  ['a variable without quotes as options', `v=${X}; bash $v`, 'another shell'],
  ['positional parameters for eval', `set -- ${X}; eval "$1"`, 'another shell'],
  ['an argument of a function', `f() { eval "$@"; }; f ${X}`, 'another shell'],
  ['a script that is written first', `echo ${X} > run.sh; bash ./run.sh`, 'another shell'],
  [
    'a script that is written and run',
    `echo ${X} >> ./run.sh && chmod +x run.sh && ./run.sh`,
    'another shell',
  ],
  ['a script that tee writes', `echo ${X} | tee run.sh; sh run.sh`, 'another shell'],
  ['a script that is copied', `echo ${X} > a; cp a b; . ./b`, 'another shell'],
  ['a script with a temporary name', `t=$(mktemp); echo ${X} > "$t"; bash "$t"`, 'another shell'],
  ['a script out of braces', `{ echo a; echo ${X}; } > run.sh; bash run.sh`, 'another shell'],
  ['a script that is read for eval', `echo ${X} > a; eval "$(cat a)"`, 'another shell'],
  ['a download', `curl ${X} | bash`, 'another shell'],
  ['options of a shell', `bash ${X} ${X}`, 'another shell'],
  ['a shell that find starts', `find . -exec sh -c "echo ${X}" \\;`, 'another shell'],
  ['names that find puts into code', `find ${X} -exec sh -c 'echo {}' \\;`, 'another shell'],
  ['lines that xargs puts into code', `echo ${X} | xargs -I{} sh -c 'echo {}'`, 'another shell'],
  ['lines that xargs puts elsewhere', `echo ${X} | xargs -I % sudo bash -c "echo %"`, 'another shell'],
  ['lines that xargs makes code', `echo ${X} | xargs sh -c`, 'another shell'],
  ['lines that xargs makes options', `echo ${X} | xargs bash`, 'another shell'],
  ['lines that xargs runs', `echo ${X} | xargs -I{} {}`, 'another shell'],
  ['lines that xargs sends', `echo ${X} | xargs ssh host echo`, 'another shell'],
  ['jobs of parallel', `parallel echo ::: ${X}`, 'another shell'],
  ['lines for parallel', `echo ${X} | parallel -j2`, 'another shell'],
  ['a command on another machine', `ssh host "echo ${X}"`, 'another shell'],
  ['words of one', `ssh -p 22 me@host echo ${X}`, 'another shell'],
  ['an option of ssh', `ssh -o ${X} host`, 'another shell'],
  ['a host that may be an option', `ssh ${X} uptime`, '--'],
  ['a file that may be an option of scp', `scp ${X} host:`, '--'],
  ['words that env splits', `env -S "sh -c ${X}"`, 'another shell'],
  ['words that may be options of env', `env ${X} make`, '--'],
  ['a command that watch repeats', `watch -n1 ls ${X}`, 'another shell'],
  ['a command in another terminal', `tmux new-session -d "run ${X}"`, 'another shell'],
  ['code of Python', `python3 -c "print('${X}')"`, 'text of a program'],
  ['code of Python in a variable', `v=${X}; timeout 5 python3 -Ic "print($v)"`, 'text of a program'],
  ['code of Perl', `perl -lane 'print "${X}"' file`, 'text of a program'],
  ['code of Ruby', `ruby -e "puts ${X}"`, 'text of a program'],
  ['code of Node', `node -e "console.log('${X}')"`, 'text of a program'],
  ['code of Node after an equals sign', `node --eval="${X}"`, 'text of a program'],
  ['code of PHP', `php -r "echo '${X}';"`, 'text of a program'],
  ['the program of awk', `awk -F, '/${X}/ { print $1 }' file`, 'text of a program'],
  ['the program of awk after options', `gawk -v a=1 "{ print "${X}" }" file`, 'text of a program'],
  ['the script of sed', `sed -i "s/a/${X}/" file`, 'text of a program'],
  ['an expression of sed', `sed -n -e p -e "s/a/${X}/" file`, 'text of a program'],
  ['a program of tar', `tar -I "zstd -${X}" -cf a.tar b`, 'text of a program'],
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
    `m=${X}; for ((i = 0; i < 3; i++)); do echo "$m" "\${m:0:i}"; done`,
    `n=$(printf %d ${X}); echo $((n + 1))`,
    `printf -v n %d ${X}; (( n > 3 )) && echo "$n"`,
    `n=$(ls ${X} | wc -l); [[ $n -gt 3 ]] && echo $((n))`,
    `n=$(wc -l < ${X}); echo $((n))`,
    `v=(${X}); echo "\${#v[@]}" $(( \${#v[@]} + \${#v} )) "\${v[0]}" "\${v[@]:1}"`,
    `v=${X}; n=\${#v}; echo $((n))`,
    `v=${X}; [[ $v == a && $n -gt 3 ]]; [ "$v" -gt 3 ]`,
    `v=${X}; w=v; a=(x); echo "\${!a[@]}" "\${!HOLD@}" "\${v:-$v}" "\${v/a/b}"`,
    `echo ${X} | grep bash`,
    `echo ${X} | bash script.sh`,
    `echo ${X} | bash -c 'cat -n'`,
    `echo ${X}; echo date | bash`,
    `echo ${X} || date | bash`,
    `if true; then echo ${X}; fi; echo date | bash`,
    `(echo ${X}); echo date | bash`,
    `echo ${X} | python3 script.py | sort > out.txt`,
    `echo ${X} | python3 -c 'import sys; print(sys.stdin.read())'`,
    `python3 -c 'import sys; print(sys.argv[1])' ${X}`,
    `python3 -m tool -c ${X}`,
    `perl -ne 'print if /a/' ${X}`,
    `node script.js -e ${X}`,
    `awk -v v=${X} '{ print v }' ${X}`,
    `awk -f prog.awk ${X}`,
    `sed -n 5p ${X}`,
    `sed -e p ${X}`,
    `eval "$(conda shell.bash hook)"; run ${X}`,
    `v=${X}; w=date; eval "$w"`,
    `v=${X}; trap 'rm -f "$v"' EXIT`,
    `v=${X}; run $v "$v"`,
    `v=${X}; bash script.sh $v`,
    `v=${X}; sudo run $v`,
    `echo ${X} > input.txt; bash run.sh input.txt`,
    `echo ${X} > input.txt; ./run.sh < input.txt`,
    `source env.sh ${X}; bash run.sh <(echo ${X})`,
    `. ${X}/bin/activate`,
    `bash -- ${X} ${X}`,
    `find ${X} -exec sh -c 'echo "$1"' _ {} \\;`,
    `find ${X} -name '*.txt' -exec wc -l {} +`,
    `echo ${X} | xargs -I{} sh -c 'echo "$1"' _ {}`,
    `echo ${X} | xargs sh -c 'echo "$@"' _`,
    `echo ${X} | xargs -n 1 wc -l`,
    `ssh -- ${X} uptime`,
    `ssh -p ${X} me@${X}`,
    `cat list | ssh host 'cat > list'; echo ${X}`,
    `env A=${X} make`,
    `docker run --rm -e A=${X} image bash run.sh`,
    `tar -czf ${X} dir`,
    `apt-get install -y bash ${X}`,
    `cat <<'E' | bash\ndate\nE\necho ${X}`,
  ])('%s', (template) => {
    expect(checkTemplate(template)).toMatchObject({ ok: true });
  });
});

/** Commands of the kinds that people write, with values anywhere in them. */
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
      // Variables that may hold a value, where the shell calculates with them or takes them for names.
      fc.constantFrom('v', '$v', '"${v[0]}"', '$((v))', '"$((w + 1))"', '"${!v}"', '"${a[v]}"', '"${w:v}"'),
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

/** Commands that hand on what they are given, and shells that may run it at the end. */
const passing = (() => {
  const { list } = fc.letrec<{ word: string; command: string; list: string }>((tie) => ({
    word: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(X, `"${X}"`, `'a ${X}'`, `w=${X}`, '"$v"', '$v', '"$1"', '"${v[@]}"', 's.sh', './s.sh'),
      fc.constantFrom(
        'a',
        '-c',
        '-s',
        '-',
        '--',
        '-e',
        '-I{}',
        '{}',
        "'echo {}'",
        '\'echo "$1"\'',
        '_',
        'bash',
        '1',
      ),
      tie('list').map((inner) => `"$(${inner})"`),
      tie('list').map((inner) => `<(${inner})`),
    ),
    command: fc
      .tuple(
        fc.constantFrom(
          ...['echo', "printf '%s\\n'", 'cat', 'tee s.sh', 'cp', 'set --', 'f', 'read -r v <<<', 'for v in'],
          ...['v=', 'export v=', 'v=(', 'printf -v v %s', 'mapfile -t v <<<', 'exec 3<', 'exec <'],
          ...[
            'bash',
            'sh -s',
            'bash s.sh',
            './s.sh',
            '. ./s.sh',
            '.',
            'eval',
            'bash -c',
            'env',
            'timeout 5',
            '$v',
          ],
          ...[
            'xargs',
            'xargs bash',
            'xargs bash -c',
            'xargs -I{} bash -c',
            'find . -exec bash -c',
            'trap',
            'nice',
          ],
          ...[
            'awk',
            'awk -v',
            'perl -e',
            'perl -ne',
            'sed -n',
            'sed -e',
            'while read -r v; do eval "$v"; done <<<',
          ],
        ),
        fc.array(tie('word'), { maxLength: 3 }),
        fc.constantFrom(
          '',
          '',
          '',
          ' > s.sh',
          ' >> s.sh',
          ' < s.sh',
          ' > >(bash)',
          ` <<< ${X}`,
          ' <<< "$v"',
          ' <&3',
        ),
      )
      .map(([start, words, redirect]) => {
        if (start === 'v=(') return `v=(${words.join(' ')})`;
        if (start === 'for v in') return `for v in ${words.join(' ')}; do eval "$v"; done`;
        const end = start.startsWith('find') ? ' \\;' : '';
        return `${start}${start.endsWith('=') ? '' : ' '}${words.join(' ')}${end}${redirect}`;
      }),
    list: fc.oneof(
      { depthSize: 'small' },
      tie('command'),
      fc
        .tuple(tie('list'), fc.constantFrom('\n', '\n', ' | ', ' | ', ' && '), tie('list'))
        .map((parts) => parts.join('')),
      tie('list').map((inner) => `( ${inner}\n)`),
      tie('list').map((inner) => `f() { ${inner}\n}`),
      tie('list').map((inner) => `if ${inner}\nthen ${inner}\nfi`),
      tie('list').map((inner) => `{ ${inner}\n}`),
      tie('list').map((inner) => `coproc { ${inner}\n}`),
    ),
  }));
  return list.filter((text) => text.includes(X));
})();

/** Code of the programs that are used. */
const CODES = [
  'touch canary',
  '\ntouch canary\n',
  "-c 'touch canary'",
  '-ctouch\tcanary',
  'BEGIN{system("touch canary")}',
  'system("touch canary")',
  '1e touch canary',
  '$(touch canary)',
  '-exec touch canary ;',
];

/** Each script has a directory of its own: one that leaves a process behind must not disturb the next. */
function isRun(template: string, payload: string): boolean | undefined {
  const rendered = renderCommand(template, { outputs: { x: payload }, variables: {} });
  if (!rendered.ok) return undefined;
  const home = mkdtempSync(join(world, 'home-'));
  writeFileSync(join(home, 's.sh'), '', { mode: 0o755 });
  spawnSync('timeout', ['-k', '1', '5', 'bash', '-c', rendered.script], {
    cwd: home,
    env: { PATH: process.env.PATH, SH: 'bash', FUNCNEST: '20' },
    stdio: 'ignore',
    timeout: 20_000,
  });
  return existsSync(join(home, 'canary'));
}

describe.each([
  ['that hands values on', passing, CODES],
  ['with values in it', script, PAYLOADS],
])('any script %s', (_, scripts, payloads) => {
  it('is refused, or runs nothing of them', () => {
    let accepted = 0;
    fc.assert(
      fc.property(scripts, fc.constantFrom(...payloads), (template, payload) => {
        const ran = isRun(template, payload);
        if (ran !== undefined) accepted += 1;
        expect(ran, template).not.toBe(true);
      }),
      { numRuns: courses(300) },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
