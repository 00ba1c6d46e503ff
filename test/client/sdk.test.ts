import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Client,
  connect,
  type EventRecord,
  type JobRequest,
  type RetryConfig,
} from '../../src/index.ts';
import { until } from '../cli/run-cli.ts';
import { fences, readText } from '../docs/markdown.ts';
import { ServedProject } from './served-project.ts';

const FLAKY = fileURLToPath(new URL('../../examples/sdk/flaky-job.mjs', import.meta.url));
const run = promisify(execFile);

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

/** Fails as often as the file beside it says. */
const failing = (times: number) =>
  `echo "attempt $HOLDFAST_ATTEMPT_ID"; [ "$HOLDFAST_ATTEMPT_ID" -gt ${times} ]`;

describe('a job', () => {
  test('that fails twice is retried with backoff, and its status shows how', async () => {
    const job = await client.submit({
      name: 'flaky',
      command: `test "$GREETING" = hello && test -n "$HOLDFAST_PORT_HTTP" && ${failing(2)}`,
      resources: { cpu: 1, memory: '512m' },
      environment: { GREETING: 'hello' },
      ports: ['http'],
      scheduling_timeout_seconds: 60,
      retry: { max_retries_failure: 5, initial_retry_delay_ms: 20 },
    });
    const status = await client.wait(job, { timeout: 60 });
    expect(status).toMatchObject({
      job_id: job,
      name: 'flaky',
      state: 'SUCCEEDED',
      exit_code: 0,
      error: null,
      failure_count: 2,
      preemption_count: 0,
      current_attempt_id: 3,
      max_retries_failure: 5,
      max_retries_preemption: 100,
      retry_available_at_ms: 0,
    });
    expect(
      status.attempts.map(({ attempt_id, state, exit_code, is_worker_failure }) => [
        attempt_id,
        state,
        exit_code,
        is_worker_failure,
      ]),
    ).toEqual([
      [1, 'FAILED', 1, false],
      [2, 'FAILED', 1, false],
      [3, 'SUCCEEDED', 0, false],
    ]);
    const [first, second, third] = status.attempts.map(({ started_at_ms }) => started_at_ms!);
    expect(second! - first!).toBeGreaterThanOrEqual(20);
    expect(third! - second!).toBeGreaterThanOrEqual(40);
  });

  test('may give its waits in seconds as well as in milliseconds', async () => {
    const spellings: RetryConfig[] = [
      { max_retries_failure: 1, initial_retry_delay_ms: 1500, max_retry_delay_ms: 2000 },
      { max_retries_failure: 1, initial_delay: 1.5, max_delay: 2 },
    ];
    const policies = [];
    for (const retry of spellings) {
      const job = await client.submit({ name: 'spelled', command: 'true', retry });
      policies.push((await client.status(job)).config.retry);
    }
    expect(policies[0]).toMatchObject({ initial_retry_delay_ms: 1500, max_retry_delay_ms: 2000 });
    expect(policies[1]).toEqual(policies[0]);
  });

  test('that fails for good says so with its exit code', async () => {
    const job = await client.submit({
      name: 'broken',
      command: 'exit 7',
      retry: { max_retries_failure: 3, no_retry_on_exit_codes: [7] },
    });
    expect(await client.wait(job, { timeout: 60 })).toMatchObject({
      state: 'FAILED',
      exit_code: 7,
      error: 'exit 7',
      failure_count: 1,
    });
  });

  test('that fits no worker is given up when its time to be started is over', async () => {
    const job = await client.submit({
      name: 'huge',
      command: 'true',
      resources: { cpu: 4096 },
      scheduling_timeout_seconds: 1,
    });
    const status = await client.wait(job, { timeout: 60 });
    expect(status).toMatchObject({ state: 'FAILED', attempts: [], exit_code: null, worker_id: null });
    expect(status.reason).toContain('unschedulable');
  });

  test('that is waited for in vain continues, and is killed when it is canceled', async () => {
    const job = await client.submit({ name: 'endless', command: 'while true; do sleep 0.05; done' });
    await until(async () => (await client.status(job)).state === 'RUNNING', 'it runs');
    await expect(client.wait(job, { timeout: 0.1 })).rejects.toMatchObject({
      code: 'WAIT_TIMEOUT',
      message: `job ${job} has not ended after 0.1 s`,
    });
    expect((await client.status(job)).state).toBe('RUNNING');
    await client.cancel(job, { reason: 'enough' });
    expect((await client.wait(job, { timeout: 60 })).state).toBe('KILLED');
  });

  test('under a key is submitted once, however often it is sent, and no other under the same key', async () => {
    const request = { name: 'once', command: `echo ran >> ${join(project.dir, 'once')}` };
    const options = { idempotencyKey: 'nightly' };
    const jobs = await Promise.all([1, 2, 3].map(() => client.submit(request, options)));
    expect(new Set(jobs).size).toBe(1);
    await client.wait(jobs[0]!, { timeout: 60 });
    expect(await client.submit(request, options)).toBe(jobs[0]);
    expect(project.read('once')).toBe('ran\n');
    await expect(client.submit({ ...request, command: 'true' }, options)).rejects.toMatchObject({
      code: 'KEY_REUSED',
    });
  });

  test('that makes no sense is refused with the place of the mistake', async () => {
    await expect(client.submit({ name: 'bad', command: '' })).rejects.toMatchObject({
      code: 'INVALID_SPEC',
      message: expect.stringContaining('jobs[0].command'),
    });
    const before: JobRequest = { name: 'bad', command: 'true', scheduling_timeout_seconds: -5 };
    await expect(client.submit(before)).rejects.toMatchObject({
      code: 'INVALID_SPEC',
      message: expect.stringContaining('jobs[0].scheduling_timeout'),
    });
    const both: RetryConfig = { initial_delay: 1, initial_retry_delay_ms: 1000 };
    await expect(client.submit({ name: 'bad', command: 'true', retry: both })).rejects.toMatchObject({
      code: 'INVALID_SPEC',
    });
  });
});

describe('logs', () => {
  test('are followed line by line over all attempts, while the job runs', async () => {
    const go = join(project.dir, 'go');
    const job = await client.submit({
      name: 'talker',
      command: `echo "begin $HOLDFAST_ATTEMPT_ID"; until [ -e ${go} ]; do sleep 0.05; done; printf end; ${failing(1)}`,
      retry: { max_retries_failure: 1, initial_retry_delay_ms: 10 },
    });
    const lines: string[] = [];
    for await (const line of client.logs(job)) {
      lines.push(line);
      if (!existsSync(go)) writeFileSync(go, '');
    }
    expect(lines).toEqual(['begin 1', 'endattempt 1', 'begin 2', 'endattempt 2']);
    const again: string[] = [];
    for await (const line of client.logs(job, { follow: false, attempt: 1 })) again.push(line);
    expect(again).toEqual(['begin 1', 'endattempt 1']);
    const all: string[] = [];
    for await (const line of client.logs(job)) all.push(line);
    expect(all).toEqual(lines);
  });
});

describe('events', () => {
  test('arrive once each and in order, over a restart of the server', async () => {
    const workflow = await client.submitWorkflow({
      name: 'story',
      jobs: [
        { name: 'first', command: 'true' },
        {
          name: 'second',
          command: `until [ -e ${join(project.dir, 'second')} ]; do sleep 0.05; done`,
          depends_on: 'first',
        },
      ],
    });
    const seen: EventRecord[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const event of client.events(workflow.id, { signal: stop.signal })) {
        seen.push(event);
        if (event.type === 'run_finished') stop.abort();
      }
    })();
    const has = (type: string, job: string | null) => () =>
      seen.some((event) => event.type === type && event.job_name === job);
    await until(has('completed', 'first'), 'the first job has ended');
    await project.stop('SIGKILL');
    writeFileSync(join(project.dir, 'second'), '');
    await project.start('--log-level', 'warn');
    await reading;
    expect((await client.waitForWorkflow(workflow.id, { timeout: 60 })).exit_code).toBe(0);
    const ids = seen.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const stored = (await client.engine.listEvents(workflow.id, { limit: 1000 })).items;
    expect(ids).toEqual(stored.slice(0, ids.length).map(({ id }) => id));
    expect(has('completed', 'second')()).toBe(true);
  });
});

describe('examples/sdk/flaky-job.mjs', () => {
  test('runs as it is', async () => {
    const { stdout } = await run(process.execPath, [FLAKY], {
      env: { ...process.env, HOLDFAST_SERVER: project.url },
    });
    expect(stdout).toMatch(/^attempt \d+$/m);
    expect(stdout).toMatch(/^success\nSucceeded after \d+ attempts\n$/m);
  });
});

describe('docs/sdk.md', () => {
  test('is a program that runs as it is written', async () => {
    const script = fences(readText('docs/sdk.md'))
      .filter(({ language }) => language === 'js')
      .map(({ text }) => text)
      .join('\n')
      .replace('http://127.0.0.1:7600', project.url);
    // Beside the example, where the package is found by its name.
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: dirname(FLAKY),
    });
    expect(stdout.split('\n')).toEqual([
      'SUCCEEDED after 3 attempts',
      'SUCCEEDED { lines: 2 }',
      'true',
      'attempt 1',
      'attempt 2',
      'attempt 3',
      'KILLED',
      'workflow_created ',
      'run_started ',
      'completed make',
      'completed check',
      'run_finished ',
      '0',
      "[ 'make', 'check' ]",
      '',
    ]);
  });
});
