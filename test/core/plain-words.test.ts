import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainWords } from '../../src/core/job/plain-words.ts';
import { courses } from '../property-runs.ts';

describe('a command of plain words', () => {
  test.each<[string, string[]]>(
    [
      ['ls', ['ls']],
      ['./simulate --first 1 --last 250 -o data/a.root', 'split'],
      ['  python3\ttrain.py \n', ['python3', 'train.py']],
      [`grep -c 'a  b $x' "it's" x"y"'z'`, ['grep', '-c', 'a  b $x', "it's", 'xyz']],
      [`awk '{ print $1 }\n' file`, ['awk', '{ print $1 }\n', 'file']],
      [`touch '' ""`, ['touch', '', '']],
      ['env A=1 B= ls', 'split'],
    ].map(([command, words]) => [
      command as string,
      words === 'split' ? command!.toString().split(' ') : (words as string[]),
    ]),
  )('%j is its words', (command, words) => expect(plainWords(command)).toEqual(words));

  test.each([
    '',
    ' \n',
    'true',
    'echo x',
    '[ -e x ]',
    'cd x',
    'time ls',
    'A=1 ls',
    'a+=1 ls',
    '%1',
    `'ls'`,
    'ls "$HOME"',
    'ls $x',
    'ls *.c',
    'ls [ab]',
    'ls a?',
    'ls ~',
    'ls --x=~/y',
    'ls {a,b}',
    'ls a\\ b',
    'ls "a\\b"',
    'ls `x`',
    'ls $(x)',
    'ls # x',
    'ls !x',
    '! ls',
    'ls; ls',
    'ls & ls',
    'ls | cat',
    'ls > x',
    'ls < x',
    'ls 2>&1',
    'ls\nls',
    'ls \r',
    'ls \u00a0',
    `ls 'x`,
    'ls "x',
    'ls é',
    '(ls)',
    'ls a\0b',
  ])('%j is not', (command) => expect(plainWords(command)).toBeNull());
});

test('bash splits them the same way', () => {
  const piece = fc.oneof(
    fc.constantFrom(...'ab1_@%+=:,./^- \t\n\'"$`\\!*?[]{}~#;&|<>()\r'),
    fc.constantFrom("'a b'", '"c d"', "''", '"$x"', "'$x'", "'\n'", '\\ '),
  );
  const commands = fc.sample(
    fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `words ${pieces.join('')}`),
    courses(20_000),
  );
  const plain = commands.flatMap((command) => {
    const words = plainWords(command);
    return words === null ? [] : [{ command, words: words.slice(1) }];
  });
  expect(plain.length).toBeGreaterThan(1_000);
  const script = ['words() { printf \'%s\\0\' "$#" "$@"; }', ...plain.map(({ command }) => command)].join(
    '\n',
  );
  const printed = execFileSync('bash', ['--norc'], { input: script, encoding: 'utf8', maxBuffer: 2 ** 26 });
  expect(printed).toBe(plain.map(({ words }) => [words.length, ...words, ''].join('\0')).join(''));
});

test('nothing that bash does itself is taken for a program', () => {
  const names = execFileSync('bash', ['--norc', '-c', 'compgen -bk'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => plainWords(name) !== null)).toEqual([]);
});
