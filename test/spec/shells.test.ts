import { describe, expect, it } from 'vitest';
import { callWithFile, callWithText, isBash, type Shell } from '../../src/core/job/shell.ts';
import { hiddenFailure } from '../../src/spec/template/hidden-failure.ts';
import { messagesOf, modelOf, warningsOf } from './spec-text.ts';

const shellsOf = (text: string, fileName?: string) =>
  modelOf(text, {}, fileName).jobs.map(({ config }) => config.shell);

describe('shell', () => {
  it.each<[string, string, Shell[]]>([
    ['nothing is bash', 'jobs: [{name: a, command: x}]', ['bash']],
    ['the workflow has one', 'shell: strict\njobs: [{name: a, command: x}]', ['strict']],
    [
      'a job has its own',
      'shell: strict\njobs: [{name: a, command: x, shell: bash}, {name: b, command: x, shell: [python3, -c]}]',
      ['bash', ['python3', '-c']],
    ],
    ['steps have it', 'steps: {a: {exec: x, shell: strict}, b: {exec: x}}', ['strict', 'bash']],
    [
      'parameters and variables are replaced',
      'variables: {v: 3}\njobs: [{name: "a{i}", command: x, shell: ["python{v}", "-{i}"], parameters: {i: [b, c]}}]',
      [
        ['python3', '-b'],
        ['python3', '-c'],
      ],
    ],
  ])('in YAML: %s', (_, text, shells) => {
    expect(shellsOf(text)).toEqual(shells);
  });

  it('is written in KDL and JSON5, too', () => {
    expect(shellsOf('shell "strict"\njob "a" {\n command "x"\n}\n', 'flow.kdl')).toEqual(['strict']);
    expect(shellsOf('job "a" {\n command "x"\n shell "python3" "-c"\n}\n', 'flow.kdl')).toEqual([
      ['python3', '-c'],
    ]);
    expect(shellsOf("{shell: ['sh', '-c'], jobs: [{name: 'a', command: 'x'}]}", 'flow.json5')).toEqual([
      ['sh', '-c'],
    ]);
  });

  it.each([
    [
      'shell: python3 -c\njobs: [{name: a, command: x}]',
      'flow.yaml:1:8: shell: expected bash, strict, or a command line as a list, such as [python3, -c]',
    ],
    ['shell: []\njobs: [{name: a, command: x}]', 'flow.yaml:1:8: shell: the list must not be empty'],
    [
      'shell: [python3, -c]\nvariables: {v: 1}\nsteps: {a: {exec: "print({{ variables.v }})"}}',
      'flow.yaml:3:19: steps.a.exec: {{ … }} and {% … %} are bound to variables of bash, and the shell is [python3, -c]; use `shell: strict` and pass the value as an argument of the program',
    ],
    [
      'user_data: [{name: d, data: 1}]\njobs: [{name: a, command: "print(${user_data.input.d})", shell: [python3, -c]}]',
      'flow.yaml:2:27: jobs[0].command: ${user_data.input.d} is bound to a variable of bash, and the shell is [python3, -c]; use `shell: strict` and pass the value as an argument of the program',
    ],
    [
      'jobs: [{name: a, command: x, invocation_script: y, shell: [python3, -c]}]',
      'flow.yaml:1:49: jobs[0].invocation_script: is put in front of a command of bash, and the shell is [python3, -c]; put it into `shell`, or leave it out',
    ],
    [
      'jobs: [{name: a, command: x, shell: [sh, "-{i}"], parameters: {i: [c, e]}}]',
      'flow.yaml:1:15: jobs[0].name: several expansions are named "a", but differ in their shell; put a parameter into the name',
    ],
  ])('is refused where it cannot be right: %s', (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });

  it('is refused for a long command that it takes only as an argument', () => {
    const text = (shell: string) => `jobs: [{name: a, command: ${'x'.repeat(131_072)}, shell: ${shell}}]`;
    expect(messagesOf(text('[ssh, host]'))).toEqual([
      'flow.yaml:1:27: jobs[0].command: is longer than the 128 KiB that [ssh, host] can be given as an argument',
    ]);
    expect(shellsOf(text('[python3, -c]'))).toEqual([['python3', '-c']]);
  });

  it('binds values where bash is at the end of the command line', () => {
    const text =
      'shell: [apptainer, exec, x.sif, bash, -euo, pipefail, -c]\nsteps: {a: {exec: "echo {{ variables.v }}"}}\nvariables: {v: 1}';
    expect(shellsOf(text)).toHaveLength(1);
  });
});

it.each<[Shell, boolean]>([
  ['bash', true],
  ['strict', true],
  [['bash', '-c'], true],
  [['/bin/bash', '-euo', 'pipefail', '-c'], true],
  [['docker', 'run', 'image', 'bash', '-ec'], true],
  [['docker', 'run', 'bash', 'python3', '-c'], false],
  [['bash', 'run.sh'], false],
  [['bash'], false],
  [['sh', '-c'], false],
  [['zsh', '-c'], false],
])('whether %j runs bash is %s', (shell, expected) => {
  expect(isBash(shell)).toBe(expected);
});

it.each<[Shell, string[], string[] | null]>([
  ['bash', ['bash', '-c', '--', 'X'], ['bash', 'F']],
  ['strict', ['bash', '-euo', 'pipefail', '-c', '--', 'X'], ['bash', '-euo', 'pipefail', 'F']],
  [
    ['python3', '-c'],
    ['python3', '-c', 'X'],
    ['python3', 'F'],
  ],
  [
    ['bash', '-ec'],
    ['bash', '-ec', 'X'],
    ['bash', '-e', 'F'],
  ],
  [
    ['node', '--eval'],
    ['node', '--eval', 'X'],
    ['node', 'F'],
  ],
  [['ssh', 'host'], ['ssh', 'host', 'X'], null],
  [['run'], ['run', 'X'], null],
])('%j is called with a text or a file', (shell, text, file) => {
  const words = (call: ReturnType<typeof callWithFile>) => call && [call.program, ...call.args];
  expect(words(callWithText(shell, 'X'))).toEqual(text);
  expect(words(callWithFile(shell, 'F'))).toEqual(file);
});

describe('a failure that plain bash hides', () => {
  it.each([
    ['false | cat', 'false', 'pipe'],
    ['cp missing x; echo done', 'cp', 'list'],
    ['a\nb', 'a', 'list'],
    ['a 2>&1 | tee log', 'a', 'pipe'],
    ['a |& b', 'a', 'pipe'],
    ['set -e\na | b', 'a', 'pipe'],
    ['set -e; set +e; a; b', 'a', 'list'],
    ['if a | b; then c; d; fi', 'c', 'list'],
    ['if a; then b; fi; c', 'b', 'list'],
    ['for i in 1 2; do a $i; done', 'a', 'list'],
    ['while read x; do a; done < f', 'a', 'list'],
    ['x=$(a); b', 'x=$( … )', 'list'],
    ['(a; b)', 'a', 'list'],
    ['{ a; b; }', 'a', 'list'],
    ['time a | b', 'a', 'pipe'],
    ['a && b; c', 'a', 'list'],
    ['echo "x; y"\na "b | c"; d', 'a', 'list'],
    ["'' | b", "''", 'pipe'],
    ['"" ; b', "''", 'list'],
  ])('is found in %j', (script, program, by) => {
    expect(hiddenFailure(script)).toEqual({ program, by });
  });

  it.each([
    'a',
    'a;',
    'a\n',
    'a && b',
    'a || b; c',
    'a \\\n  --b',
    'a > x 2>&1',
    'a # b; c | d',
    'echo a; echo b',
    'echo x | bc',
    'sleep 1; touch x',
    'x=1; a',
    'x=(a b); a "${x[@]}"',
    'x=$(a | b)',
    'echo "$(a | b; c)"',
    'echo `a; b`',
    'diff <(a; b) <(c | d)',
    'echo a; exit 3',
    'cp a b; exit 3',
    'test -e x || { touch x; exit 1; }',
    'set -e; a; b',
    'set -euo pipefail\na | b\nc',
    'set -o errexit -o pipefail\na | b\nc',
    'a | b; echo ${PIPESTATUS[0]}; exit 1',
    'a; code=$?; echo $code',
    'a; if [ $? -eq 1 ]; then b; fi',
    'if a; then b; fi',
    'if a | b; then c; fi',
    'if a; then\n  b\nelif c; then d\nelse e\nfi\n',
    'for i in 1 2; do echo $i; done',
    'for ((i=0;i<3;i++)); do echo $i; done',
    'until a; do sleep 1; done; b',
    'case $x in a|b) c;; *) d;; esac',
    'f() { a; }; f',
    'a & b & wait',
    '! a',
    '[[ a && b ]]',
    'cat <<EOF\na; b | c\nEOF',
    'python -c "a; b | c"',
    "awk '{print $1; x}' f",
    'trap "a; b" EXIT; c',
    'if a; then b',
    'a; b)',
  ])('is not suspected in %j', (script) => {
    expect(hiddenFailure(script)).toBeUndefined();
  });

  it('is one warning for the whole workflow, at the first command', () => {
    const jobs =
      'jobs:\n- {name: a, command: x}\n- {name: b, command: "x | y"}\n- {name: c, command: "x; y"}\n';
    expect(warningsOf(jobs)).toEqual([
      'flow.yaml:3:22: jobs[1].command: a failure of `x` in the pipe does not fail the job, because bash looks at the last command of a pipe only; write `shell: strict` at the top of the spec, or `shell: bash` to leave it so (1 more command like this)',
    ]);
    expect(warningsOf(`shell: bash\n${jobs}`)).toEqual([]);
    expect(warningsOf(`shell: strict\n${jobs}`)).toEqual([]);
    expect(warningsOf('jobs: [{name: a, command: "x; y", shell: bash}]')).toEqual([]);
  });

  it('is found in the exec of a step, where Liquid is no pipe', () => {
    const steps = (exec: string) => `variables: {v: [1]}\nsteps: {a: {exec: '${exec}'}}`;
    expect(warningsOf(steps('x {{ variables.v | join: ";" }}'))).toEqual([]);
    expect(warningsOf(steps('x {{ variables.v | join: ";" }} | y'))).toHaveLength(1);
  });
});
