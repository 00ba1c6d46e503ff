import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionCommand } from '../../src/client/function-job.ts';
import { jsonProblem } from '../../src/client/transport/json-problem.ts';
import { type Client, connect, type SubmittedJob } from '../../src/index.ts';
import { ServedProject } from './served-project.ts';

const run = promisify(execFile);
const FLAKY = fileURLToPath(new URL('../../examples/sdk/flaky-function.mjs', import.meta.url));

describe('a function that is submitted', () => {
  const project = new ServedProject();
  let client: Client;
  beforeAll(async () => {
    await project.start('--log-level', 'warn');
    client = connect(project.url);
  });
  afterAll(async () => {
    await client.close();
    await project.stop();
  });

  async function result<Args extends readonly unknown[]>(
    entrypoint: (...args: Args) => unknown,
    ...args: Args
  ): Promise<SubmittedJob> {
    return client.wait(await client.submit({ entrypoint, args, name: 'fn' }), { timeout: 60 });
  }

  it('gets its arguments, and its return value is the output', async () => {
    const args = [{ a: [1, null, "it's {{ x }} {% y %} ${HOME} `$(date)`\n"] }, 'é🚀'] as const;
    const status = await result(
      (first: unknown, second: unknown) => ({ first, second, open: '{{' }),
      ...args,
    );
    expect(status).toMatchObject({
      state: 'SUCCEEDED',
      error: null,
      output: { first: args[0], second: args[1], open: '{{' },
    });
  });

  it('may be async, import modules, print, and know its attempt', async () => {
    // As text, because the test runner would put its own import into it.
    const entrypoint = new Script(`(async function named() {
      const { basename } = await import('node:path');
      console.log('hello');
      // Nothing that is left over keeps it from ending.
      setInterval(() => {}, 1_000);
      return [basename('/a/b'), process.env.HOLDFAST_ATTEMPT_ID];
    })`).runInThisContext() as () => Promise<string[]>;
    const status = await result(entrypoint);
    expect(status).toMatchObject({ state: 'SUCCEEDED', output: ['b', '1'] });
    const lines: string[] = [];
    for await (const line of client.logs(status.job_id)) lines.push(line);
    expect(lines).toEqual(['hello']);
  });

  it('that returns nothing has the output null', async () => {
    expect(await result(() => {})).toMatchObject({ state: 'SUCCEEDED', output: null });
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new RangeError('first\nsecond');
      },
      'RangeError: first\nsecond',
    ],
    ['rejects', async () => Promise.reject(new Error('later')), 'Error: later'],
    [
      'throws a text',
      () => {
        throw 'plain';
      },
      'thrown: plain',
    ],
    [
      'returns what is not JSON',
      () => ({ list: [new Map()] }),
      'TypeError: the returned value.list[0] is a Map',
    ],
    // @ts-expect-error It is not there, which is the point.
    ['uses what is around it', () => aroundIt, 'ReferenceError: aroundIt is not defined'],
  ])('that %s fails with the message', async (_, entrypoint, error) => {
    const status = await result(entrypoint);
    expect(status).toMatchObject({ state: 'FAILED', exit_code: 1, output: null });
    expect(status.error).toContain(error);
  });

  it('that fails is retried, and is named after itself', async () => {
    function flaky() {
      if (process.env.HOLDFAST_ATTEMPT_ID === '1') throw new Error('once');
      return 'success';
    }
    const job = await client.submit({
      entrypoint: flaky,
      retry: { max_retries_failure: 1, initial_delay: 0.01 },
    });
    const status = await client.wait(job, { timeout: 60 });
    expect(status).toMatchObject({ name: 'flaky', state: 'SUCCEEDED', failure_count: 1, output: 'success' });
  });

  it('is counted in the metrics of a server with a worker of its own', async () => {
    await result(() => 1);
    const metrics = await (await fetch(`${project.url}/metrics`)).text();
    const counted = (name: string) =>
      Number(new RegExp(`^holdfast_${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
    expect(counted('attempts_finished_total{cause="success"}')).toBeGreaterThan(0);
    expect(counted('claims_total{kind="first"}')).toBeGreaterThan(0);
    expect(counted('exchanges_total')).toBeGreaterThan(0);
  });

  it('is shown by an example that runs', async () => {
    const { stdout } = await run(process.execPath, [FLAKY], {
      env: { ...process.env, HOLDFAST_SERVER: project.url },
    });
    expect(stdout).toMatch(/^Succeeded after \d+ attempts\n$/);
  });
});

const object = {
  method() {},
  async asyncMethod() {},
  get getter() {
    return 1;
  },
};

describe('a function that cannot be sent is refused:', () => {
  it.each<[string, unknown, string]>([
    ['of the runtime', Math.max, 'a function of the runtime'],
    ['bound', (() => 1).bind(null), 'a bound function'],
    ['a class', class {}, 'a class'],
    ['a method', object.method, 'a method'],
    ['an async method', object.asyncMethod, 'a method'],
    ['a getter', Object.getOwnPropertyDescriptor(object, 'getter')!.get, 'a method'],
    [
      'a generator',
      function* () {
        yield 1;
      },
      'a generator',
    ],
    ['a text', 'echo', 'is not a function'],
  ])('%s', (_, entrypoint, problem) => {
    expect(() => functionCommand(entrypoint)).toThrow(problem);
  });

  it('with a command, or without a list of arguments', async () => {
    const client = connect('http://127.0.0.1:1');
    const both = { name: 'a', command: 'true', entrypoint: () => 1 };
    await expect(client.submit(both)).rejects.toThrow('together with `command`');
    // @ts-expect-error The types say so, too.
    await expect(client.submit({ entrypoint: () => 1, args: 'x' })).rejects.toThrow('args is not a list');
    await client.close();
  });
});

describe('a value that is not JSON is refused:', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  it.each<[string, unknown, string | undefined]>([
    ['a number', 1.5, undefined],
    ['an object without prototype', Object.assign(Object.create(null), { a: undefined }), undefined],
    ['the same twice', [object, object].map(() => ({ a: 1 })), undefined],
    ['undefined', [undefined], 'v[0] is undefined'],
    ['a hole', new Array(1), 'v[0] is undefined'],
    ['NaN', { a: Number.NaN }, 'v.a is NaN'],
    ['a big integer', 1n, 'v is bigint'],
    ['a function', { a: [() => 1] }, 'v.a[0] is function'],
    ['a date', new Date(), 'v is a Date'],
    ['a set', new Set(), 'v is a Set'],
    ['a buffer', Buffer.from('a'), 'v is a Buffer'],
    ['a cycle', cycle, 'v[0] contains itself'],
  ])('%s', (_, value, problem) => {
    const found = jsonProblem(value, 'v');
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});
