import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpEngine } from '../../src/client/http-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { until } from '../cli/run-cli.ts';
import { NOTHING } from '../engine/engine-world.ts';
import {
  type Answer,
  cut,
  type Heard,
  json,
  refused,
  scripted as scriptedServer,
} from './scripted-server.ts';

/** An engine of a server that answers as the test says. */
async function scripted(...answers: Answer[]): Promise<{ url: string; heard: Heard[]; engine: HttpEngine }> {
  const { url, heard } = await scriptedServer(...answers);
  const engine = new HttpEngine({ url, token: 'hf_secret' });
  onTestFinished(() => engine.close());
  return { url, heard, engine };
}

test('requests for a worker carry its secret and the token of a worker, others carry neither', async () => {
  const worker = { id: 7, secret: 'hf_of_the_worker', seq: 3, claims: [], news: false };
  const nothing: Answer = (response) => response.writeHead(204).end();
  const answers = [json(worker, 201), json(worker), nothing, nothing, json(worker), json(worker)];
  const { url, heard } = await scriptedServer(...answers);
  const engine = new HttpEngine({ url, token: 'hf_person', workerToken: 'hf_worker' });
  onTestFinished(() => engine.close());
  await engine.registerWorker(ownIdentity());
  await engine.exchange(7, NOTHING);
  await engine.putLogs(7, [{ token: 1, stream: 'stdout', offset: 0, data: Buffer.from('x') }]);
  await engine.retireWorker(7);
  await engine.drainWorker(7, { actor: 'ada' });
  await engine.resumeWorker({ id: 8, secret: 'hf_kept' }, ownIdentity());
  const shown = heard.map(({ headers }) => [headers.authorization, headers['holdfast-worker-secret']]);
  expect(shown).toEqual([
    ['Bearer hf_worker', undefined],
    ['Bearer hf_worker', 'hf_of_the_worker'],
    ['Bearer hf_worker', 'hf_of_the_worker'],
    ['Bearer hf_worker', 'hf_of_the_worker'],
    ['Bearer hf_person', undefined],
    ['Bearer hf_worker', 'hf_kept'],
  ]);
});

describe('an answer that was lost', () => {
  test('of a question is sent again', async () => {
    const { engine, heard } = await scripted(cut, cut, json({ id: 3 }));
    expect(await engine.getWorkflow(3)).toEqual({ id: 3 });
    expect(heard.map(({ url }) => url)).toEqual(Array(3).fill('/api/v1/workflows/3'));
  });

  test('of a change is not: it may have been made', async () => {
    const { engine, heard } = await scripted(cut, json({ canceled: [], stopping: [] }));
    await expect(engine.cancel(3, { actor: 'ada' })).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    expect(heard).toHaveLength(1);
  });

  test('of an exchange is not asked for here: its worker sends it again', async () => {
    const { engine, heard } = await scripted(cut, json({ claims: [] }));
    const exchange = { ...NOTHING, seq: 41, sent_at_ms: 5 };
    await expect(engine.exchange(7, exchange)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await engine.exchange(7, exchange);
    expect(heard.map(({ body }) => body)).toEqual([exchange, exchange]);
  });

  test('of a new workflow is sent again under the same key', async () => {
    const { engine, heard } = await scripted(cut, json({ id: 1 }, 201));
    await engine.createWorkflow({
      source: { text: 'name: a', name: 'a.yaml' },
      cwd: '.',
      output_dir: 'output',
      actor: 'ada',
    });
    const keys = heard.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(heard[0]!.body).toEqual({ spec: 'name: a', file_name: 'a.yaml', cwd: '.', output_dir: 'output' });
  });

  test('because the server is shutting down is sent again, whatever it is: nothing was done', async () => {
    const { engine, heard } = await scripted(
      refused('SHUTTING_DOWN', 503),
      json({ canceled: [1], stopping: [] }),
    );
    expect(await engine.cancel(3, { actor: 'ada' })).toEqual({ canceled: [1], stopping: [] });
    expect(heard).toHaveLength(2);
  });
});

describe('a client that follows', () => {
  test('waits for a server whose database is away, and reports only absences that last', async () => {
    const away = refused('DATABASE_UNREACHABLE', 503);
    const { engine, heard } = await scripted(json({ id: 3 }), away, cut, away, json({ id: 3 }));
    const reported: string[] = [];
    expect(await engine.getWorkflow(3)).toEqual({ id: 3 });
    engine.waitOutOutages({ patienceMs: 60_000, notify: (line) => reported.push(line) });
    expect(await engine.getWorkflow(3)).toEqual({ id: 3 });
    expect(heard).toHaveLength(5);
    expect(reported).toEqual([]);
  });

  test('gives up when its time is over, and after that nobody waits any more', async () => {
    const { engine } = await scripted(json({ id: 3 }), cut);
    await engine.getWorkflow(3);
    const reported: string[] = [];
    const stop = engine.waitOutOutages({ patienceMs: 2_000, notify: (line) => reported.push(line) });
    const unreachable = { code: 'SERVER_UNREACHABLE', exitCode: 4 };
    await expect(engine.getWorkflow(3)).rejects.toMatchObject(unreachable);
    expect(reported).toEqual([expect.stringMatching(/^cannot reach .*; waiting for the server$/)]);
    stop();
    // Otherwise this would be asked for 20 s.
    const asked = performance.now();
    await expect(engine.getWorkflow(3)).rejects.toMatchObject(unreachable);
    expect(performance.now() - asked).toBeLessThan(10_000);
  });
});

describe('a refusal', () => {
  test('is the error that it was there, with its message and hint', async () => {
    const { engine, heard } = await scripted(refused('WORKFLOW_NOT_FOUND', 404));
    await expect(engine.getWorkflow(3)).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
      exitCode: 2,
      message: 'because WORKFLOW_NOT_FOUND',
      hint: 'do this',
    });
    expect(heard).toHaveLength(1);
  });

  test('of a kind that is not known here is shown all the same', async () => {
    const { engine } = await scripted(refused('BUG', 500));
    await expect(engine.getWorkflow(3)).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringContaining('BUG: because BUG'),
    });
  });

  test('by something that is no Holdfast server says so', async () => {
    const { engine } = await scripted((response) => response.writeHead(404).end('<html>not here</html>'));
    await expect(engine.getWorkflow(3)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('HTTP 404, which is no answer of a Holdfast server'),
    });
  });

  test.each([
    ['a page', '<html>welcome</html>'],
    ['nothing', ''],
    ['null', 'null'],
    ['what another service says', '{"ok":true}'],
  ])(
    'by something that answers with %s says so, and is asked no longer than one that is not there',
    async (_, body) => {
      const { engine, heard } = await scripted((response) => response.writeHead(200).end(body));
      const strange = {
        code: 'SERVER_UNREACHABLE',
        message: expect.stringContaining('HTTP 200, which is no answer of a Holdfast server'),
      };
      await expect(engine.getWorkflow(3)).rejects.toMatchObject(strange);
      await expect(engine.listTokens()).rejects.toMatchObject(strange);
      await expect(engine.readLog(3, { job: 1, stream: 'stdout' })).rejects.toMatchObject(strange);
      await expect(
        engine.addEvent(3, { type: 'note', reason: 'r', data: {}, actor: 'ada' }),
      ).rejects.toMatchObject(strange);
      // A server that is known to be there would be asked for 20 s.
      expect(heard.filter(({ url }) => url === '/api/v1/tokens').length).toBeLessThan(10);
    },
  );

  test('for the address of a page names that of the server', async () => {
    const { url } = await scriptedServer(refused('NO_ENDPOINT', 404));
    const engine = new HttpEngine({ url: `${url}/workflows/3`, token: null });
    await expect(engine.getWorkflow(3)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: `cannot reach ${url}/workflows/3: the server has no API under /workflows/3; its address may be ${url}`,
    });
  });

  test('is also an address to go to instead: the token is not taken there', async () => {
    const { engine, heard, url } = await scripted((response) =>
      response.writeHead(307, { location: `${url}/elsewhere` }).end(),
    );
    await expect(engine.cancel(3, { actor: 'ada' })).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    expect(heard).toHaveLength(1);
  });
});

test('a token that was replaced in its file is used from then on, without a failed request', async () => {
  const valid = (name: string): Answer => {
    return (response, heard) => {
      const isValid = heard.headers.authorization === `Bearer ${name}`;
      return (isValid ? json({ id: 3, canceled: [] }) : refused('UNAUTHORIZED', 401))(response, heard);
    };
  };
  const { url, heard } = await scriptedServer(valid('hf_new'));
  const address = { url, token: 'hf_old', readTokensAgain: () => ({ token: 'hf_new' }) };
  const engine = new HttpEngine(address);
  await engine.cancel(3, { actor: 'ada' });
  await engine.cancel(3, { actor: 'ada' });
  expect(heard.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer hf_old',
    'Bearer hf_new',
    'Bearer hf_new',
  ]);
});

test('a token that is still the same in its file is refused', async () => {
  const { url, heard } = await scriptedServer(refused('UNAUTHORIZED', 401));
  for (const found of [{ token: 'hf_old' }, null]) {
    const engine = new HttpEngine({ url, token: 'hf_old', readTokensAgain: () => found });
    await expect(engine.cancel(3, { actor: 'ada' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  }
  expect(heard).toHaveLength(2);
});

test('a server that was never there is not waited for', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const engine = new HttpEngine({ url: `http://127.0.0.1:${port}`, token: null });
  await expect(engine.cancel(1, { actor: 'ada' })).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    exitCode: 4,
    message: `cannot reach http://127.0.0.1:${port}: ECONNREFUSED`,
  });
});

test('requests carry the token, who asks, and names of any kind', async () => {
  const { engine, heard } = await scripted(json({ items: [], next: null, id: 1, canceled: [] }));
  await engine.listJobs(3, { status: ['failed', 'terminated'], name: 'a&b', limit: 5 });
  await engine.getJob(3, 'p@list[0]/x');
  await engine.getJob(3, '17');
  await engine.cancel(3, { actor: 'Änne <a@b>', jobs: ['x'], reason: 'r' });
  expect(heard.map(({ url }) => url)).toEqual([
    '/api/v1/workflows/3/jobs?status=failed%2Cterminated&name=a%26b&limit=5',
    '/api/v1/workflows/3/jobs/p%40list%5B0%5D%2Fx',
    '/api/v1/workflows/3/jobs/name%3A17',
    '/api/v1/workflows/3/cancel',
  ]);
  expect(heard.every(({ headers }) => headers.authorization === 'Bearer hf_secret')).toBe(true);
  expect(decodeURIComponent(String(heard[3]!.headers['holdfast-actor']))).toBe('Änne <a@b>');
  expect(heard[3]!.body).toEqual({ jobs: ['x'], reason: 'r' });
});

test('an idempotency key that no request can carry is refused before one is sent', async () => {
  const { engine, heard } = await scripted(json({ id: 1 }, 201));
  for (const key of ['', 'schlüssel', 'a\nb', 'x'.repeat(256)]) {
    const workflow = {
      source: { text: 'name: a', name: 'a.yaml' },
      cwd: '.',
      output_dir: 'output',
      actor: 'ada',
    };
    await expect(engine.createWorkflow({ ...workflow, idempotency_key: key })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'idempotency key: must be 1 to 255 printable ASCII characters',
    });
  }
  expect(heard).toEqual([]);
});

test('logs arrive as bytes, with where they are', async () => {
  const { engine, heard } = await scripted((response) =>
    response
      .writeHead(200, {
        'holdfast-run-id': 1,
        'holdfast-attempt-id': 2,
        'holdfast-log-offset': 5,
        'holdfast-log-size': 8,
        'holdfast-log-ended': 'true',
      })
      .end(Buffer.from([0, 255, 10])),
  );
  const chunk = await engine.readLog(3, { job: 9, stream: 'stderr', offset: -3, follow: true });
  expect(chunk).toMatchObject({ run_id: 1, attempt_id: 2, offset: 5, size: 8, ended: true });
  expect([...chunk.data]).toEqual([0, 255, 10]);
  expect(heard[0]!.url).toBe('/api/v1/workflows/3/jobs/9/logs/stderr?limit=1048576&offset=-3&live=true');
});

test('logs are sent in requests that a server takes, whole and in order', async () => {
  const { engine, heard } = await scripted((response) => response.writeHead(204).end());
  const data = Buffer.alloc(900 * 1024, 'x');
  await engine.putLogs(
    7,
    [0, 1, 2, 3].map((token) => ({ token, stream: 'stdout', offset: 0, data })),
  );
  const parts = heard.map(({ body }) =>
    (body!.parts as { token: number; data: string }[]).map(({ token }) => token),
  );
  expect(parts).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

describe('changes', () => {
  test('are heard of by one long poll for all listeners, which ends with the last of them', async () => {
    const waiting: ServerResponse[] = [];
    const { engine, heard } = await scripted(json({ version: '1', changed: true }), (response) => {
      waiting.push(response);
    });
    const calls = { first: 0, second: 0 };
    const stops = [
      engine.onChange(() => {
        calls.first += 1;
      }),
      engine.onChange(() => {
        calls.second += 1;
      }),
    ];
    // Reported once when it is connected, because something may have been missed before.
    await until(() => waiting.length === 1, 'it waits for a change');
    expect(calls).toEqual({ first: 1, second: 1 });
    json({ version: '2', changed: true })(waiting[0]!, heard[0]!);
    await until(() => waiting.length === 2, 'it waits for the next');
    expect(calls).toEqual({ first: 2, second: 2 });
    expect(heard.map(({ url }) => url)).toEqual([
      '/api/v1/changes?timeout_ms=0',
      '/api/v1/changes?since=1&timeout_ms=20000',
      '/api/v1/changes?since=2&timeout_ms=20000',
    ]);
    const closed = once(waiting[1]!, 'close');
    for (const stop of stops) stop();
    await closed;
  });

  test('are sent again when the connection broke, and reported then', async () => {
    const { engine } = await scripted(
      json({ version: '1', changed: false }),
      cut,
      json({ version: '2', changed: false }),
      () => {},
    );
    let calls = 0;
    const stop = engine.onChange(() => {
      calls += 1;
    });
    await until(() => calls === 2, 'it was notified again');
    stop();
  });

  test('for a worker are sent once more only after it has exchanged', async () => {
    const { engine, heard } = await scripted((response, { url }) => {
      json(url.endsWith('/exchange') ? { claims: [] } : { news: true })(response, heard[0]!);
    });
    let calls = 0;
    const stop = engine.onChange(() => {
      calls += 1;
    }, 7);
    await until(() => calls === 1, 'there are news');
    const polls = () =>
      heard.filter(({ url }) => url.startsWith('/api/v1/workers/7/news?timeout_ms=20000')).length;
    expect(polls()).toBe(1);
    await engine.exchange(7, NOTHING);
    await until(() => calls === 2, 'there are news again');
    expect(polls()).toBe(2);
    stop();
  });

  test('for a worker say what is free, and are sent again when more is', async () => {
    const { engine, heard } = await scripted((response, { url }) => {
      if (url.endsWith('/exchange')) json({ claims: [] })(response, heard[0]!);
    });
    const free = (slots: number) => ({ cpus: slots, memory_bytes: 0, gpus: 0, slots, default_cpus: 1 });
    await engine.exchange(7, NOTHING);
    const stop = engine.onChange(() => {}, 7);
    const polls = () => heard.flatMap(({ url }) => /\/news\?.*slots=(\d+)/.exec(url)?.[1] ?? []);
    await engine.exchange(7, { ...NOTHING, capacity: free(0) });
    await engine.exchange(7, { ...NOTHING, capacity: free(2) });
    await until(() => polls().at(-1) === '2', 'it has said that two more fit');
    const before = polls().length;
    await engine.exchange(7, { ...NOTHING, capacity: free(1) });
    await engine.exchange(7, { ...NOTHING, capacity: free(2) });
    expect(polls()).toHaveLength(before);
    stop();
  });
});
