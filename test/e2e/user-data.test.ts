import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jobsWorld, type World } from './world.ts';

const MODEL = { user_data: [{ name: 'v' }] };
const OWN_FILE = '"$HOLDFAST_USER_DATA_DIR/v.json"';

const read = (world: World, name: string) => readFileSync(join(world.dir, name), 'utf8');

/** What attempts have left of their own directories. */
function leftDirectories(world: World): string[] {
  const work = join(world.dir, '.holdfast/work/r1');
  return existsSync(work) ? readdirSync(work).filter((name) => name.endsWith('.user_data')) : [];
}

const HOSTILE: [string, unknown, string?][] = [
  ['quotes', `it's "quoted" \\' \\" '"'"' '`],
  ['substitutions', '$(touch pwned) `touch pwned` ${HOME} $HOME $((1+1))'],
  ['separators', '; touch pwned & touch pwned | touch pwned #'],
  ['newlines', '\nfirst\n\n\tsecond\\\n\n'],
  ['globs', '* ? [a-z]* {a,b} ~ !!'],
  ['unicode', 'žluťoučký 中文 🚀 \u202e\u00a0\u0001'],
  ['our own notation', '${user_data.input.v} {{ x }} HF_1 {word}'],
  ['a leading dash', '-n --help'],
  ['nothing', ''],
  ['a number', -12.5],
  ['a boolean', false],
  ['an object', { a: [1, null, "it's"], b: { c: '$(touch pwned)' } }],
  ['a list', ['x', 2]],
  ['a long text', "long'$".repeat(50_000)],
];

describe.concurrent('a value', () => {
  test.for(HOSTILE)('with %s reaches the next job as it is', async ([, value], context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'set', command: 'cp value.json ${user_data.output.v}' },
        {
          name: 'get',
          command: [
            'printf %s ${user_data.input.v} > plain',
            'printf %s "<${user_data.input.v}>" > double',
            "printf %s '<${user_data.input.v}>' > single",
            'printf %s "$(printf %s. ${user_data.input.v})" > nested # ${user_data.input.v}',
          ].join('\n'),
        },
      ],
      MODEL,
    );
    world.write('value.json', JSON.stringify(value));
    const { code, stderr } = await world.run('run', 'spec.json');
    expect(code, stderr).toBe(0);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(read(world, 'plain')).toBe(text);
    expect(read(world, 'double')).toBe(`<${text}>`);
    expect(read(world, 'single')).toBe(`<${text}>`);
    expect(read(world, 'nested')).toBe(`${text}.`);
    expect(existsSync(join(world.dir, 'pwned'))).toBe(false);
    expect(leftDirectories(world)).toEqual([]);
  });

  test('of the spec needs no job to set it', async (context) => {
    const world = jobsWorld(context, [{ name: 'get', command: 'printf %s ${user_data.input.v} > got' }], {
      user_data: [{ name: 'v', data: { rate: 0.5, text: "it's" } }],
    });
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(read(world, 'got')).toBe(`{"rate":0.5,"text":"it's"}`);
  });

  test('of the spec is kept if the job that declares it does not set it', async (context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'set', command: 'true', output_user_data: 'v' },
        { name: 'get', command: 'printf %s ${user_data.input.v} > got' },
      ],
      { user_data: [{ name: 'v', data: 7 }] },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(read(world, 'got')).toBe('7');
  });

  test('that is read and that nobody gave fails the attempt before it starts, and says which', async (context) => {
    const world = jobsWorld(context, [{ name: 'get', command: 'touch ran', input_user_data: 'v' }], MODEL);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(existsSync(join(world.dir, 'ran'))).toBe(false);
    expect(await world.attempts()).toMatchObject([
      { cause: 'spawn', started_at_ms: null, error: 'could not be started: user_data v has no value' },
    ]);
  });
});

describe.concurrent('a job that declares a value', () => {
  test.for<[string, string, string]>([
    ['sets nothing', 'true', 'user_data v'],
    ['writes what is no JSON', `echo '{"a": ' > ${OWN_FILE}`, 'user_data v (not JSON)'],
    ['writes nothing into the file', `: > ${OWN_FILE}`, 'user_data v (not JSON)'],
    [
      'writes more than is kept',
      `head -c 1048577 /dev/zero | tr '\\0' 1 > ${OWN_FILE}`,
      'user_data v (over 1 MiB)',
    ],
    ['leaves a pipe', `mkfifo ${OWN_FILE}`, 'user_data v (not a file)'],
    ['leaves a directory', `mkdir ${OWN_FILE}`, 'user_data v (not a file)'],
  ])('and %s has failed', async ([, command, missing], context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'set', command, output_user_data: 'v' },
        { name: 'get', command: 'touch ran', input_user_data: 'v' },
      ],
      MODEL,
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await world.attempts()).toMatchObject([
      { job_name: 'set', exit_code: 0, cause: 'missing_output', error: `exit 0, but missing ${missing}` },
    ]);
    expect((await world.job('get')).status).toBe('canceled');
    expect(leftDirectories(world)).toEqual([]);
  });

  test('starts each attempt with an empty directory, and only a success counts', async (context) => {
    const world = jobsWorld(
      context,
      [
        {
          name: 'set',
          command: `ls -A "$HOLDFAST_USER_DATA_DIR" >> seen
            echo "$HOLDFAST_ATTEMPT_ID" > ${OWN_FILE}
            [ "$HOLDFAST_ATTEMPT_ID" -ge 2 ]`,
          output_user_data: 'v',
          retry: { max_retries_failure: 1, initial_delay: '10ms' },
        },
        { name: 'get', command: 'echo ${user_data.input.v} > got' },
      ],
      MODEL,
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('seen')).toEqual([]);
    expect(world.lines('got')).toEqual(['2']);
    expect(leftDirectories(world)).toEqual([]);
  });

  test('may have the lack of it accepted by its post script, which learns of it', async (context) => {
    const world = jobsWorld(
      context,
      [
        {
          name: 'set',
          command: 'echo 5 > ${user_data.output.w}; : ${user_data.output.v}',
          output_files: ['./none.txt'],
          post: 'echo "$HOLDFAST_MISSING_OUTPUTS" > missing; exit 0',
        },
        { name: 'get', command: 'echo ${user_data.input.w} > got' },
      ],
      { user_data: [{ name: 'v' }, { name: 'w' }] },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('missing')).toEqual([expect.stringMatching(/none\.txt$/), 'user_data v']);
    expect(world.lines('got')).toEqual(['5']);
  });

  test('is set by a failure that its post script accepts', async (context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'set', command: 'echo 5 > ${user_data.output.v}; exit 3', post: 'exit 0' },
        { name: 'get', command: 'echo ${user_data.input.v} > got' },
      ],
      MODEL,
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('got')).toEqual(['5']);
  });

  test('is classified by its stderr where the value is missing', async (context) => {
    const world = jobsWorld(
      context,
      [{ name: 'set', command: 'echo "no model found" >&2', output_user_data: 'v', failure_handler: 'h' }],
      {
        ...MODEL,
        failure_handlers: [{ name: 'h', rules: [{ stderr: 'no model', category: 'data' }] }],
      },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await world.attempts()).toMatchObject([{ cause: 'missing_output', category: 'data' }]);
  });
});

test('a value that one job reads and sets is kept from run to run, unless it is ephemeral', async (context) => {
  const count = (name: string) => ({
    name,
    command: `n=$(printf %d \${user_data.input.${name}}); echo $((n + 1)) > \${user_data.output.${name}}
      cp \${user_data.output.${name}} ${name}.txt`,
  });
  const world = jobsWorld(context, [count('kept'), count('fresh')], {
    user_data: [
      { name: 'kept', data: 0 },
      { name: 'fresh', data: 0, is_ephemeral: true },
    ],
  });
  expect((await world.run('run', 'spec.json')).code).toBe(0);
  expect((await world.run('reset-status', '1')).code).toBe(0);
  expect((await world.run('run', '1')).code).toBe(0);
  expect([world.lines('kept.txt'), world.lines('fresh.txt')]).toEqual([['2'], ['1']]);
});
