import { describe, expect, it } from 'vitest';
import { specJsonSchema } from '../../src/spec/json-schema.ts';
import { INVENTORY, load, mistakesOf, RANGE } from './request-text.ts';

const HEAD = 'kind: request\nname: a\n';
const WORK = 'work: { range: { total: 10, per_job: 1 } }\n';
const PROCESS = 'process: { command: x }\n';
const range = (more: string) => `${HEAD}${WORK}${PROCESS}${more}\n`;
/** The command is in line 4, from column 21 on. */
const command = (text: string, more = '') =>
  `${HEAD}${WORK}process: { command: ${JSON.stringify(text)} }\n${more}`;
const items = (written: string, more = '') =>
  `${HEAD}work: { items: ${written}${more} }\nprocess: { command: "x {items}" }\n`;

describe('mistakes in a request', () => {
  it('are all reported at once, each at its own place', () => {
    const text = `kind: request
name: a/b
work: { range: { total: 9007199254740993, per_job: 0 } }
jobs_per_unit: 2
proces: 1
process:
  command: ./x {frist} {items} {inputs} {sample}
  retries: 3
merge: { command: "cat {inputs} <<E\\n{output}\\nE" }
outputs: "x/{first}"
executor: htcondor
round: { units: 3, hours: 4 }
variables: { first: 3 }
rulebook: rules.yaml
`;
    const rules = 'rules:\n  - { report_code: [1] }\n  - { stderr: "([", max_retries: 3, verdict: ask }\n';
    expect(mistakesOf(text, { 'rules.yaml': rules })).toEqual([
      'request.yaml:2:7: name: a name begins with a letter or digit and has only letters, digits, ".", "_" and "-", without ".." (it is a directory, too)',
      'request.yaml:3:25: work.range.total: is too large to be read exactly without quotes; put it in quotes: "9007199254740993"',
      'request.yaml:3:52: work.range.per_job: must be at least 1, got 0',
      'request.yaml:5:1: proces: unknown key "proces"; did you mean "process"?',
      'request.yaml:7:16: process.command: {frist} is neither a placeholder nor a variable; did you mean "first"? (write { frist } for braces that stay)',
      'request.yaml:7:24: process.command: {items} is for items, but the work of this request is a range; use {first} and {last}',
      'request.yaml:7:32: process.command: {inputs} is for merge and cleanup: it lists the outputs of the processing jobs',
      'request.yaml:7:41: process.command: {sample} is neither a placeholder nor a variable (write { sample } for braces that stay)',
      'request.yaml:8:3: process.retries: unknown key "retries"; write retry: N',
      'request.yaml:9:24: merge.command: {inputs} are the outputs of the processing jobs, but process.command does not use {output}',
      "request.yaml:9:38: merge.command: {output}: a placeholder in a heredoc is refused, because its text is not quoted; write the value with printf '%s\\n' {output} instead",
      'request.yaml:10:10: outputs: must contain {unit}: otherwise units overwrite the output of each other',
      'request.yaml:10:13: outputs: {first} is not known when the path of an output is made; it can use {unit} {round} {request} {version}',
      'request.yaml:12:20: round.hours: `units` and `hours` both size a round; keep one of them',
      'request.yaml:13:14: variables.first: {first} is a placeholder, so a variable cannot have this name',
      'rules.yaml:2:5: rules[0]: the rule matches nothing: give it exit_codes, signals, stderr, causes, categories, report_codes, message, holds or match_all_exit_codes',
      'rules.yaml:2:7: rules[0].report_code: unknown key "report_code"; write report_codes: [N]',
      'rules.yaml:3:15: rules[1].stderr: not a valid pattern (RE2 syntax): a ] is missing in "["',
      'rules.yaml:3:21: rules[1].max_retries: unknown key "max_retries"; retries belong to `retry` of the request',
      'rules.yaml:3:46: rules[1].verdict: `ask` is not possible in a rulebook: retries belong to `retry` of the request, and what is left is held',
    ]);
  });

  const short = (text: string, texts: Record<string, string> = {}) =>
    mistakesOf(text, texts).map((line) => line.replace(/^request\.yaml:/, ''));

  it.each<[string, string, string]>([
    ['no name', `kind: request\n${WORK}${PROCESS}`, '1:1: name: this key is required'],
    ['no work', `${HEAD}${PROCESS}`, '1:1: work: this key is required'],
    ['no command', `${HEAD}${WORK}`, '1:1: process: this key is required'],
    [
      'an empty work',
      `${HEAD}work: {}\n${PROCESS}`,
      '3:7: work: add `range: {total: N, per_job: N}` or `items: PATH`',
    ],
    [
      'both kinds of work',
      `${HEAD}work: { range: { total: 1, per_job: 1 }, items: [x] }\n${PROCESS}`,
      '3:42: work.items: work is either `range` or `items`; keep one of them',
    ],
    [
      'per_job beside a range',
      `${HEAD}work: { range: { total: 1, per_job: 1 }, per_job: 2 }\n${PROCESS}`,
      '3:42: work.per_job: per_job belongs to `items`; write it into `range`',
    ],
    ['a name with a version', range('').replace('name: a', 'name: a@2'), '2:7: name: a name begins with'],
    [
      'a name that leads upwards',
      range('').replace('name: a', 'name: a..b'),
      '2:7: name: a name begins with',
    ],
    ['a name that is an option', range('').replace('name: a', 'name: -a'), '2:7: name: a name begins with'],
    [
      'a long name',
      range('').replace('name: a', `name: ${'a'.repeat(101)}`),
      '2:7: name: must have at most 100 characters',
    ],
    [
      'a total of nothing',
      range('').replace('total: 10', 'total: 0'),
      '3:25: work.range.total: must be at least 1',
    ],
    [
      'a total that is no number',
      range('').replace('total: 10', 'total: many'),
      '3:25: work.range.total: expected a whole number, such as 1000',
    ],
    [
      'a negative first',
      range('').replace('total: 10', 'total: 10, first: -1'),
      '3:36: work.range.first: expected a whole number, such as 1000',
    ],
    [
      'a total with a fraction',
      range('').replace('total: 10', 'total: 1.5'),
      '3:25: work.range.total: expected a whole number, such as 1000',
    ],
    [
      'more numbers than 64 bits have',
      range('').replace('total: 10', 'total: "9223372036854775807"'),
      '3:16: work.range: goes beyond the largest number of 64 bits, which is 9223372036854775807',
    ],
    [
      'units that are larger than can be counted exactly',
      `${range('jobs_per_unit: 2').replace('per_job: 1', 'per_job: 9007199254740991')}`,
      '3:38: work.range.per_job: makes units of more than 9007199254740991; give each job fewer',
    ],
    [
      'a threshold above 1',
      range('errors: { error_hold_threshold: 20 }'),
      '5:33: errors.error_hold_threshold: must be at most 1, got 20',
    ],
    [
      'a misspelled setting',
      range('errors: { error_hold_treshold: 0.1 }'),
      '5:11: errors.error_hold_treshold: unknown key "error_hold_treshold"; did you mean "error_hold_threshold"?',
    ],
    [
      'two equal exit codes',
      range('errors: { unless_exit_code: 43 }'),
      '5:29: errors.unless_exit_code: unless_exit_code and abort_dag_code are both 43; they must differ',
    ],
    [
      'a retry that is no number',
      range('merge: { command: x, retry: many }'),
      '5:29: merge.retry: expected a number of retries, or an object',
    ],
    [
      'a round without end',
      range('jobs_per_unit: 100000'),
      '1:1: round.units: makes a round of 4000000 jobs, more than 1000000; plan fewer units, or fewer jobs in a unit',
    ],
    [
      'an unknown policy',
      range('cleanup_policy: keep'),
      '5:17: cleanup_policy: expected one of keep_until_replaced, immediate_cleanup, got "keep"',
    ],
    [
      'no such rulebook',
      range('rulebook: none.yaml'),
      '5:11: rulebook: none.yaml cannot be read: it was not sent along with the spec',
    ],
    [
      'a placeholder in env',
      range('env: { N: "{unit}" }'),
      '5:12: env.N: {unit} is replaced only in the commands of process, merge and cleanup, and `outputs`',
    ],
    [
      'a placeholder in a hook',
      range('hooks: { output_registered: "reg {output}" }'),
      '5:34: hooks.output_registered: {output} is replaced only in',
    ],
    [
      'a misspelled variable elsewhere',
      range('variables: { campaign: x }\nrulebook: "{campagin}.yaml"'),
      '6:12: rulebook: {campagin} is not a variable; did you mean "campaign"? (write { campagin } for braces that stay)',
    ],
  ])('%s', (_, text, expected) => {
    const found = short(text);
    expect(
      found.some((line) => line.startsWith(expected)),
      found.join('\n'),
    ).toBe(true);
  });

  it.each<[string, string, string]>([
    [
      'first of items',
      items('[a]').replace('{items}', '{first}'),
      '4:24: process.command: {first} is a number of a range, but the work of this request is a list of items; use {items}',
    ],
    [
      'a format',
      command('x {first:06d}'),
      '4:24: process.command: {first:06d} has a format, which the placeholders of a request cannot have; write {first} and use printf in the command',
    ],
    [
      'in arithmetic',
      command('echo $(( {first} + 1 ))'),
      '4:31: process.command: {first}: a placeholder in arithmetic is refused',
    ],
    [
      'an item in arithmetic, through a variable',
      items('[a]').replace('{items}', '{items}; for n in {items}; do echo $((n)); done'),
      'a placeholder in arithmetic is refused, and so is one that reaches it through a variable',
    ],
    ['in code', command('bash -c "x {first}"'), 'process.command: '],
    [
      'in backticks',
      command('x `y {first}`'),
      '4:27: process.command: {first}: a placeholder inside backticks is refused; use $( … ) instead',
    ],
    ['in awk', command("awk '{ print {first} }'"), 'process.command: '],
    [
      'in cleanup',
      command('x', 'cleanup: { command: "rm {output}" }\n'),
      '5:25: cleanup.command: {output} is for process and merge: cleanup has no output; it can use {inputs} {unit} {round} {request} {version}',
    ],
    [
      'of the numbers in cleanup',
      command('x', 'cleanup: { command: "rm {first}" }\n'),
      '5:25: cleanup.command: {first} is for process and merge; cleanup can use {inputs} {unit} {round} {request} {version}',
    ],
    [
      'of user data',
      command('x ${user_data.input.y}'),
      '4:24: process.command: ${user_data.input.y} is not replaced in a request; write {NAME} for a variable',
    ],
    [
      'outputs that nobody writes',
      command('x', 'outputs: "{unit}"\n'),
      '5:10: outputs: is not written: process.command does not use {output}',
    ],
    [
      'outputs of many jobs',
      command('x > {output}', 'outputs: "{unit}"\njobs_per_unit: 4\n'),
      '5:10: outputs: is one file for each unit, but a unit has 4 processing jobs; add `merge`, or set jobs_per_unit to 1',
    ],
  ])('a placeholder: %s', (_, text, expected) => {
    const found = short(text);
    expect(
      found.some((line) => line.includes(expected)),
      found.join('\n'),
    ).toBe(true);
  });
});

describe('mistakes in an inventory', () => {
  it('have the place in the list', () => {
    const list = '# a list\na.root\nb.root run1\n\na.root\nmy file.root x\nb.root\n';
    expect(mistakesOf(INVENTORY, { 'lists/2025B.txt': list }, 'specs/r.yaml')).toEqual([
      'specs/lists/2025B.txt:5:1: "a.root" is already in line 2; an item is processed once',
      'specs/lists/2025B.txt:6:1: has 3 columns; a path with blanks needs a tab behind it, and then its group or nothing',
      'specs/lists/2025B.txt:7:1: "b.root" is already in line 3; an item is processed once',
    ]);
  });

  it.each<[string, string, string]>([
    ['an empty list', items('l'), 'request.yaml:3:16: work.items: l lists no item'],
    [
      'a missing list',
      items('none'),
      'request.yaml:3:16: work.items: none cannot be read: it was not sent along with the spec',
    ],
    ['an empty list in the spec', items('[]'), 'request.yaml:3:16: work.items: the list must not be empty'],
    [
      'the same item twice',
      items('[a, b, a]'),
      'request.yaml:3:23: work.items[2]: "a" is already item 1 of the list; an item is processed once',
    ],
    [
      'a line end in a name',
      items('["a\\nb"]'),
      'request.yaml:3:17: work.items[0]: a name must be on one line, without control characters',
    ],
    [
      'a pattern of groups',
      items('[a]', ', group_by: "(["'),
      'request.yaml:3:31: work.group_by: not a valid pattern (RE2 syntax)',
    ],
    [
      'a pattern that is too long',
      items('[a]', `, group_by: "${'x'.repeat(1001)}"`),
      'work.group_by: a pattern has at most 1000 characters',
    ],
  ])('%s', (_, text, expected) => {
    const found = mistakesOf(text, { l: '# nothing\n\n' });
    expect(
      found.some((line) => line.includes(expected)),
      found.join('\n'),
    ).toBe(true);
  });

  it('are not all listed where there are thousands', () => {
    const list = Array.from({ length: 3000 }, () => 'x').join('\n');
    const found = mistakesOf(items('l'), { l: list });
    expect(found).toHaveLength(20);
    expect(found.at(-1)).toContain('(and 2979 more mistakes in this list)');
  });
});

describe('mistakes of the notation', () => {
  it('are those of the file that has them', () => {
    expect(mistakesOf('kind: request\nname: [\n')[0]).toMatch(/^request\.yaml:\d+:\d+: /);
    const rules = mistakesOf(RANGE, { 'rules/simulation.yaml': 'rules:\n  - {a: [\n' });
    expect(rules[0]).toMatch(/^rules\/simulation\.yaml:\d+:\d+: /);
    expect(mistakesOf(RANGE, { 'rules/simulation.yaml': '[]' })[0]).toBe(
      'rules/simulation.yaml:1:1: expected an object with keys, got a list',
    );
    expect(mistakesOf(RANGE, { 'rules/simulation.yaml': 'rules: []' })[0]).toBe(
      'rules/simulation.yaml:1:8: rules: the list must not be empty',
    );
  });

  it('are in our words, whatever stands under any key', () => {
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
      { '': {} },
    ];
    const base = {
      kind: 'request',
      name: 'a',
      work: { range: { total: 1, per_job: 1 } },
      process: { command: 'x' },
    };
    const inside: [string, (part: object) => object][] = [
      ['Request', (part) => part],
      ['Work', (part) => ({ work: part })],
      ['Range', (part) => ({ work: { range: { ...base.work.range, ...part } } })],
      ['Round', (part) => ({ round: part })],
      ['UnitJob', (part) => ({ merge: { command: 'x', ...part } })],
      ['Errors', (part) => ({ errors: part })],
      ['Hooks', (part) => ({ hooks: part })],
    ];
    const messages: string[] = [];
    for (const value of values) {
      for (const [name, place] of inside) {
        for (const key of keysOf(name)) {
          const loaded = load(JSON.stringify({ ...base, ...place({ [key]: value }) }), {}, 'r.json');
          if (!loaded.ok) messages.push(...loaded.problems.map(({ message }) => message));
        }
      }
      for (const key of keysOf('RulebookRule')) {
        const rules = JSON.stringify({ rules: [{ [key]: value }] });
        const loaded = load(JSON.stringify({ ...base, rulebook: 'r.json' }), { 'r.json': rules }, 'r.json');
        if (!loaded.ok) messages.push(...loaded.problems.map(({ message }) => message));
      }
    }
    expect(messages.length).toBeGreaterThan(300);
    const foreign = /Invalid|Expected|Unrecognized|Too (?:small|big)|undefined|\bNaN\b|zod|\bunion\b|Cannot/;
    expect([...new Set(messages)].filter((text) => text.trim() === '' || foreign.test(text))).toEqual([]);
  });
});
