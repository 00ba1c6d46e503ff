import fc from 'fast-check';
import json5 from 'json5';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as yaml from 'yaml';
import { readJson5 } from '../../src/spec/source/read-json5.ts';
import { readPlainYaml } from '../../src/spec/source/read-plain-yaml.ts';
import { readSource } from '../../src/spec/source/read-source.ts';
import { courses } from '../property-runs.ts';
import { messagesOf, modelOf } from './spec-text.ts';

describe('formats', () => {
  it.each([
    ['flow.yaml', 'jobs:\n  - name: a\n    command: x\n    oops: 1\n', '4:5'],
    ['flow.yml', 'jobs: [{name: a, command: x,\n oops: 1}]', '2:2'],
    ['flow.json', '{\n  "jobs": [{"name": "a", "command": "x",\n    "oops": 1}]\n}', '3:5'],
    ['flow.json5', "{\n  // a comment\n  jobs: [{name: 'a', command: 'x', oops: 1,}],\n}", '3:36'],
    ['flow', 'jobs:\n- {name: a, command: x, oops: 1}\n', '2:25'],
  ])('%s is read by its extension, and mistakes have their place', (fileName, text, place) => {
    expect(messagesOf(text, fileName)).toEqual([`${fileName}:${place}: jobs[0].oops: unknown key "oops"`]);
  });

  it.each([
    ['flow.yaml', 'jobs:\n  - name: a\n    name: b\n', '3:5: the key name is given twice'],
    ['flow.yaml', 'jobs: [\n', 'a "]" is missing'],
    ['flow.yaml', 'a: 1\n---\nb: 2\n', 'another one starts here'],
    ['flow.yaml', 'a: *nowhere\n', '1:4: '],
    ['flow.json', '{"a": 1,\n "a": 2}', '2:2: the key a is given twice'],
    ['flow.json', '{"a" 1}', '1:6: expected ":", found "1"'],
    ['flow.json5', '{a: 1', '1:6: expected "," or "}", found the end of the file'],
    ['flow.json5', '{a: +}', '1:5: expected a value, found "+"'],
    ['flow.json', '', '1:1: expected a value'],
    ['flow.json', '{"a": "\\u00zz"}', '1:7: '],
  ])('%s: %j is a syntax error with its place', (fileName, text, expected) => {
    expect(messagesOf(text, fileName).join('\n')).toContain(expected);
  });

  it('YAML may repeat itself with anchors and merges, and mistakes in them have a place', () => {
    const text = `metadata:
  common: &common { timeout: 5, retry: { max_retries_failure: 1 } }
jobs:
  - { name: a, command: x, <<: *common }
  - { name: b, command: x, <<: *common, timeout: 9 }
`;
    expect(modelOf(text).jobs.map((job) => job.config.timeout_ms)).toEqual([5000, 9000]);
    expect(messagesOf(text.replace('timeout: 5', 'timeout: x'))).toEqual([
      expect.stringContaining('flow.yaml:2:30: jobs[0].timeout: "x" is not a duration'),
    ]);
  });

  it('a bomb of aliases is refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level++) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    expect(readSource(lines.join('\n'), 'flow.yaml')).toMatchObject({
      ok: false,
      mistakes: [{ message: expect.stringContaining('alias') }],
    });
  });

  it.each(['flow.yaml', 'flow.json'])('a file nested too deeply is refused (%s)', (fileName) => {
    expect(readSource('['.repeat(50_000), fileName)).toMatchObject({ ok: false });
  });

  it('a byte order mark is no part of the text', () => {
    expect(readSource('\uFEFF{"a": 1}', 'x.json')).toMatchObject({ ok: true, value: { a: 1 } });
  });
});

describe('the JSON5 reader', () => {
  it('reads every JSON value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (text, indent) => {
        const pretty = JSON.stringify(JSON.parse(text), null, indent);
        expect(readJson5(pretty)).toMatchObject({ ok: true });
        const source = readJson5(pretty);
        expect(source.ok && source.value).toEqual(JSON.parse(pretty));
      }),
      { numRuns: courses(100) },
    );
  });

  it.each([
    "{a: 'it\\'s', $b_1: .5, c: +1, d: 0x1F, e: -Infinity, f: [1,2,], /* x */ g: \"a\\\nb\", // end\n h: null}",
    "['\\x41\\u0042', 5., 1e3, true, false]",
  ])('reads %j as json5 does', (text) => {
    const source = readJson5(text);
    expect(source.ok && source.value).toEqual(json5.parse(text));
  });
});

describe('the reader of plain YAML', () => {
  const agrees = (text: string) => {
    const plain = readPlainYaml(text);
    if (plain === undefined) return false;
    const document = yaml.parseDocument(text, { merge: true, logLevel: 'error', prettyErrors: false });
    expect(document.errors, text).toEqual([]);
    expect(plain.value, text).toEqual(document.toJS());
    return true;
  };

  it('reads what long lists of jobs are made of', () => {
    const text = `# all of it
name: big
env: {A: b, N: 1}
resource_requirements:
- name: small
  num_cpus: 2
  memory: 512m
jobs:
  - name: job_1
    command: echo "hello" > out-1.txt   # greet
    depends_on: [a, "b c", 'd']

  - name: "job 2"
    command: |
      set -e
      echo two

        indented
    retry: {max_retries_failure: 3, retry_on_exit_codes: [1, 2]}
    timeout: 1.5
    cancel_on_blocking_job_failure: false
  - name: job_3
    command: |-
      echo 3
    env:
    labels:
      - x
      - 7
`;
    expect(agrees(text)).toBe(true);
  });

  it('never reads a text differently from the yaml package', () => {
    const fragment = fc.constantFrom(
      ...[
        'a: ',
        'b: ',
        'jobs:',
        '- ',
        '  ',
        '    ',
        ' ',
        '\n',
        '\n',
        '\n  ',
        '\n- ',
        '\n  - ',
        'x',
        'x y',
        '1',
        '-1',
      ],
      ...[
        '0x1',
        '1.50',
        '1e3',
        'true',
        'null',
        '~',
        "'q'",
        '"q"',
        '"\\n"',
        '"\\x41"',
        '[a, b]',
        '[a,b]',
        '{k: v}',
        '{}',
      ],
      ...[
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '#',
        ' # c',
        '|',
        '|-',
        '>',
        '&a ',
        '*a',
        '!t ',
        '---',
        '...',
        '?',
        '-',
        '%',
        '@',
      ],
      ...[
        '\t',
        '\\',
        '"',
        "'",
        'key',
        '<<: ',
        '=',
        '.',
        '..',
        '_',
        'http://x',
        'é',
        '\u0085',
        '\u2028',
        '\0',
        '+1',
        '08',
      ],
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 24 }), (parts) => {
        agrees(parts.join(''));
      }),
      { numRuns: courses(3000) },
    );
  });

  it('never reads lines differently from the yaml package', () => {
    const line = fc
      .tuple(
        fc.constantFrom('', '', '  ', '  ', '    ', '   '),
        fc.constantFrom('', '', '- ', '-   ', '- - ', '-'),
        fc.constantFrom('', 'a: ', 'b: ', 'c:', 'd:  ', 'true: ', '"e": ', 'a.b-c: '),
        fc.constantFrom(
          '',
          '',
          'x',
          'x y',
          '1',
          '|',
          '|-',
          "'q'",
          '"q\\n"',
          '[a, b]',
          '{k: v, l: [1, "2"]}',
          '{k: }',
          'x: y',
        ),
        fc.constantFrom('', '', '', ' # c', '#c', ' ', '  #'),
      )
      .map((parts) => parts.join(''));
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 7 }), (lines) => {
        if (agrees(lines.join('\n'))) read++;
      }),
      { numRuns: courses(5000) },
    );
    expect(read).toBeGreaterThan(0);
  });

  it('reads what the yaml package writes, or leaves it alone', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,6}$/), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (written) => {
        agrees(yaml.stringify(written));
      }),
      { numRuns: courses(500) },
    );
  });

  it('is what a long file is read with, and mistakes in it still have their place', () => {
    const jobs = Array.from(
      { length: 2000 },
      (_, index) => `  - name: job_${index}\n    command: echo ${index}\n`,
    );
    const text = `jobs:\n${jobs.join('')}`;
    expect(readPlainYaml(text)).toBeDefined();
    expect(modelOf(text).jobs).toHaveLength(2000);
    expect(messagesOf(`${text}    comand: x\n`)).toEqual([
      'flow.yaml:4002:5: jobs[1999].comand: unknown key "comand"; did you mean "command"?',
    ]);
  });
});

it('a key that is a list or a map is refused, without a word of the YAML package on stderr', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const messages = messagesOf('jobs:\n  - name: a\n    command: x\n    ? [b, c]\n    : 1\n');
  expect(messages).toEqual([expect.stringContaining('unknown key')]);
  expect(warn).not.toHaveBeenCalled();
});
