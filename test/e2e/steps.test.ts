import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeWorld } from './world.ts';

const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  "'; touch pwned; '",
  '"; touch pwned; "',
  `$HOME \${PATH} \\$(touch pwned) *`,
  'a\nb; touch pwned\n| touch pwned &',
  '{{ outputs.other }} {% assign x = 1 %}',
  '-n --help ~ #comment !history',
  'ünïcode ␀ \u202e 🦔',
];

describe.concurrent('steps', () => {
  test('hand on every output as it is, in every kind of quotes', async (context) => {
    const consume = (index: number) => {
      const value = `{{ outputs.produce[${index}] }}`;
      return {
        depends_on: 'produce',
        exec: [
          `printf %s ${value} > ${index}.bare`,
          `printf %s "<${value}>" > ${index}.double`,
          `printf %s '<${value}>' > ${index}.single`,
          `out=$(printf "%s." ${value}); printf %s "$out" > ${index}.substituted`,
        ].join('\n'),
      };
    };
    const world = makeWorld(context, {
      'values.json': JSON.stringify(HOSTILE),
      'spec.json': {
        name: 'hostile',
        steps: {
          produce: { exec: 'cat values.json', output: 'json' },
          ...Object.fromEntries(HOSTILE.map((_, index) => [`consume_${index}`, consume(index)])),
        },
      },
    });
    expect(await world.run('run', 'spec.json')).toMatchObject({ code: 0 });
    for (const [index, value] of HOSTILE.entries()) {
      const read = (kind: string) => readFileSync(join(world.dir, `${index}.${kind}`), 'utf8');
      expect(['bare', 'double', 'single', 'substituted'].map(read)).toEqual([
        value,
        `<${value}>`,
        `<${value}>`,
        `${value}.`,
      ]);
    }
    expect(existsSync(join(world.dir, 'pwned'))).toBe(false);
  });

  test('read their stdout as their output mode says', async (context) => {
    const modes = [
      ['auto', '{"a": [1, 2]}', { a: [1, 2] }],
      ['auto', 'not {json', 'not {json'],
      ['auto', '42\\n', 42],
      ['text', '42\\n', '42'],
      ['json', '"x"\\n', 'x'],
      ['lines', 'one\\ntwo\\n', ['one', 'two']],
      ['lines', '', []],
    ] as const;
    const steps = modes.map(([output, printed], index) => [
      `step_${index}`,
      { exec: `printf '${printed}'`, output },
    ]);
    const world = makeWorld(context, { 'spec.json': { name: 'modes', steps: Object.fromEntries(steps) } });
    expect(await world.run('run', 'spec.json')).toMatchObject({ code: 0 });
    const outputs = (await world.attempts()).map(({ output }) => output);
    expect(outputs).toEqual(modes.map(([, , expected]) => expected));
  });

  test('loop over lines and read variables in templates', async (context) => {
    const world = makeWorld(context, {
      'spec.json': {
        name: 'loop',
        variables: { greeting: "it's" },
        steps: {
          list: { exec: "printf 'a b\\n$c\\n'", output: 'lines' },
          each: {
            exec: '{% for item in outputs.list %}echo {{ variables.greeting }} {{ item }} >> said\n{% endfor %}',
          },
        },
      },
    });
    expect(await world.run('run', 'spec.json')).toMatchObject({ code: 0 });
    expect(world.lines('said')).toEqual(["it's a b", "it's $c"]);
  });

  test('fail with a missing output where JSON was promised and something else came', async (context) => {
    const world = makeWorld(context, {
      'spec.json': {
        name: 'broken',
        steps: {
          produce: { exec: 'echo "{broken"', output: 'json' },
          consume: { exec: 'echo {{ outputs.produce }}' },
        },
      },
    });
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('exit 0, but missing JSON on stdout');
    expect(await world.attempts()).toMatchObject([
      { cause: 'missing_output', exit_code: 0, outcome: { missing_outputs: ['JSON on stdout'] } },
    ]);
    expect((await world.jobs()).map(({ status }) => status)).toEqual(['failed', 'canceled']);
  });

  test('whose template reads what an output does not have fail and say which', async (context) => {
    const world = makeWorld(context, {
      'spec.json': {
        name: 'absent',
        steps: {
          produce: { exec: 'echo "{}"', output: 'json' },
          consume: { exec: 'echo {{ outputs.produce.nothing }} >> runs' },
        },
      },
    });
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('outputs.produce.nothing');
    expect(await world.attempts('consume')).toMatchObject([{ cause: 'spawn', started_at_ms: null }]);
    expect(world.lines('runs')).toEqual([]);
  });
});

test('25 steps with retry that each fail once are all retried', async (context) => {
  const steps = Array.from({ length: 25 }, (_, index) => [
    `s${index}`,
    {
      type: 'command',
      exec: '[ "$HOLDFAST_ATTEMPT_ID" -gt 1 ]',
      retry: { max_retries_failure: 3, initial_retry_delay_ms: 0 },
    },
  ]);
  const world = makeWorld(context, {
    'spec.json': { version: '2.0', order: 'graph', steps: Object.fromEntries(steps) },
  });
  expect((await world.run('run', 'spec.json')).code).toBe(0);
  const attempts = await world.attempts();
  expect(attempts.filter(({ verdict }) => verdict === 'retry')).toHaveLength(25);
  expect(attempts.filter(({ verdict }) => verdict === 'complete')).toHaveLength(25);
});
