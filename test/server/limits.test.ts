import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { networkOf } from '../../src/server/connections.ts';
import { type StartOptions, startServer } from '../../src/server/start-server.ts';
import { StreamLimit } from '../../src/server/stream-limit.ts';
import { change, type Script } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Asked, IDENTITY, NO_REPORTS, PLENTY, ServerWorld } from './server-world.ts';

const ONE_JOB = { name: 'w', jobs: [{ name: 'a', command: 'true' }] };
const submission = (spec: unknown, more: Partial<Asked> = {}): Asked => ({
  method: 'POST',
  url: '/api/v1/workflows',
  body: { spec },
  ...more,
});
const swept = (count: number) => ({
  name: 'w',
  jobs: [{ name: 'a{i}', command: 'echo {i}', parameters: { i: `1:${count}` } }],
});

/** The items of a list, page by page; no page is too large. */
async function pagesOf(world: ServerWorld, url: string): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for (let after: number | null = 0; after !== null; ) {
    const answer = await world.ask({ url: `${url}?limit=1000&after=${after}` });
    expect(answer.body.length).toBeLessThan(1.2 * 1024 * 1024);
    const page = answer.json() as { items: unknown[]; next: number | null };
    pages.push(page.items);
    after = page.next;
  }
  return pages;
}

describe('a submission', () => {
  test('of more jobs than its role may have is refused before they are made', async () => {
    const limits = { size: 2_000, jobs: 10, expanded: 1e6 };
    const world = await ServerWorld.create({
      auth: 'token',
      submissionLimits: { operator: limits, admin: { ...limits, jobs: 1_000 } },
    });
    const { operator, admin } = world.tokens;
    const refused = await world.ask(submission(swept(11), { token: operator }));
    expect(refused.statusCode).toBe(422);
    expect(refused.json().error).toMatchObject({
      code: 'INVALID_SPEC',
      message: expect.stringContaining('jobs: these expand to 11, and the limit is 10; split the workflow'),
    });
    const accepted = await world.ask(submission(swept(11), { token: admin }));
    expect(accepted.json()).toMatchObject({ job_count: 11 });
    // A million by two parameters, in a few bytes.
    const parameters = { i: '1:1000', j: '1:1000' };
    const million = { jobs: [{ name: 'a{i}{j}', command: 'x', parameters }] };
    const many = await world.ask(submission(million, { token: admin }));
    expect(many.json().error.message).toContain('these expand to 1,000,000, and the limit is 1,000');
    const large = await world.ask(
      submission({ ...ONE_JOB, description: 'x'.repeat(2_000) }, { token: admin }),
    );
    expect([large.statusCode, large.json().error.code]).toEqual([413, 'TOO_LARGE']);
    const text = 'x'.repeat(1_500);
    const long = { jobs: [{ name: 'a{i}', command: text, parameters: { i: '1:900' } }] };
    const expanded = await world.ask(submission(long, { token: admin }));
    expect(expanded.json().error.message).toMatch(/expand to 1,375,225 bytes, and the limit is 1,000,000/);
    expect((await world.engine.listWorkflows()).items).toHaveLength(1);
  });

  test('is read and stored while leases are renewed and claims answered', async () => {
    const world = await ServerWorld.create();
    const { id } = await world.engine.registerWorker(IDENTITY);
    let isDone = false;
    const asked = world.ask(submission(swept(2_000))).finally(() => {
      isDone = true;
    });
    let exchanges = 0;
    while (!isDone) {
      const { claims } = await world.engine.exchange(id, {
        ...NO_REPORTS,
        capacity: { ...PLENTY, slots: 1 },
      });
      // What is claimed before the answer arrives is of a workflow that is whole.
      if (claims.length > 0) expect((await world.engine.status(1)).workflow.job_count).toBe(2_000);
      exchanges += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await asked).json()).toMatchObject({ job_count: 2_000 });
    expect(exchanges).toBeGreaterThan(10);
  });

  test.each([
    ['YAML', `name: a\njobs: []\nmetadata: ${'['.repeat(2_000)}${']'.repeat(2_000)}`, undefined],
    ['block YAML', Array.from({ length: 400 }, (_, n) => `${' '.repeat(n)}a:\n`).join(''), undefined],
    ['JSON', `{"metadata": ${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'a.json'],
    ['JSON5', `{metadata: ${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'a.json5'],
  ])('of %s that is nested too deeply is refused', async (_, spec, file_name) => {
    const world = await ServerWorld.create();
    const answer = await world.ask(submission(spec, { body: { spec, ...(file_name && { file_name }) } }));
    expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'INVALID_SPEC']);
    expect(answer.json().error.message).toContain('nested more than 200 levels deep');
  });

  test('of a body that is nested too deeply is refused', async () => {
    const world = await ServerWorld.create();
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const answer = await world.ask({ ...submission(null), body: `{"spec": {"metadata": ${deep}}}` });
    expect(answer.statusCode).toBe(422);
  });

  test.each([
    ['broken lines', '\t- x: [}\n'.repeat(20_000), 1],
    ['keys given twice', 'a: b\n'.repeat(20_000), 20],
    ['unknown keys', Array.from({ length: 20_000 }, (_, n) => `key_${n}: 1\n`).join(''), 100],
  ])('of many %s is refused with some of them', async (_, spec, most) => {
    const world = await ServerWorld.create();
    const answer = await world.ask(submission(spec));
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.fields).toHaveLength(most);
  });
});

/** A server on a port of its own. */
async function listening(options: Partial<StartOptions>): Promise<{ url: string; open: () => Socket }> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-limits-'));
  const engine = await openEngine({ dir, create: true });
  const server = await startServer(engine, {
    host: '127.0.0.1',
    port: 0,
    auth: 'none',
    version: '0',
    ...options,
  });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const open = () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    return socket;
  };
  return { url: server.url, open };
}

const ended = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('close', () => resolve(text));
  });

describe('connections', () => {
  test('that never send a byte, or only a part of a head, are ended', async () => {
    const { open } = await listening({ headersTimeoutMs: 100 });
    const silent = open();
    const slow = open();
    slow.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n');
    expect(await Promise.all([ended(silent), ended(slow)])).toEqual([
      expect.stringContaining('408 Request Timeout'),
      expect.stringContaining('408 Request Timeout'),
    ]);
  });

  test('of one address make room for each other, the one that has been idle for longest first', async () => {
    const { url, open } = await listening({ connections: { perAddress: 3 } });
    const silent = [open(), open(), open()];
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    const gone = ended(silent[0]!);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await gone).toBe('');
  });

  test('of one address that are all in use leave no room for another', async () => {
    const { url, open } = await listening({ connections: { perAddress: 2 } });
    await fetch(`${url}/api/v1/workflows`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ spec: ONE_JOB }),
    });
    const busy: Socket[] = [];
    for (let n = 0; n < 2; n += 1) {
      const socket = open();
      socket.write('GET /api/v1/workflows/1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
      busy.push(socket);
    }
    const third = open();
    third.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    expect(await ended(third)).toBe('');
    expect(busy.every((socket) => !socket.closed)).toBe(true);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:ffff:1:2:3', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('of %s count for %s', (address, network) => expect(networkOf(address)).toBe(network));

  test('with two Host lines are refused, and methods that nobody knows too', async () => {
    const { open } = await listening({});
    const ask = (text: string) => {
      const socket = open();
      socket.write(text);
      return ended(socket);
    };
    const twice = await ask(
      'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(twice).toMatch(/^HTTP\/1.1 400 [\s\S]*the header host stands there twice/);
    const strange = await ask('FOO / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    expect(strange).toMatch(/^HTTP\/1.1 405 [\s\S]*\r\nAllow: GET, POST, PUT, DELETE\r\n/);
  });
});

describe('streams', () => {
  test('of one token are limited, and those of another are not', async () => {
    const world = await ServerWorld.create({ auth: 'token', streamsPerToken: 1 });
    const { viewer, operator } = world.tokens;
    const id = await world.submit(ONE_JOB, operator);
    const stream = (token: string) =>
      world.ask({ url: `/api/v1/workflows/${id}/events/stream`, token }, { isEndless: true });
    expect((await stream(viewer)).statusCode).toBe(200);
    expect((await stream(viewer)).statusCode).toBe(429);
    expect((await stream(operator)).statusCode).toBe(200);
  });

  test('make room when they end', async () => {
    const limit = new StreamLimit(1);
    const request = { caller: null, ip: '192.0.2.1' } as FastifyRequest;
    const open = () => limit.counted(request, async () => Readable.from(['a']));
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' });
    const closed = new Promise((resolve) => first.once('close', resolve));
    first.destroy();
    await closed;
    await expect(open()).resolves.toBeInstanceOf(Readable);
  });
});

describe('a path that is asked for with another method', () => {
  test.each([
    ['PATCH', '/api/v1/workflows', 'GET, POST'],
    ['PATCH', '/api/v1/workflows/7', 'DELETE, GET'],
    ['HEAD', '/healthz', 'GET'],
    ['OPTIONS', '/jobs/3', 'PUT'],
  ])('%s %s is answered with %s', async (method, url, allowed) => {
    const world = await ServerWorld.create();
    const answer = await world.ask({ method, url });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allowed]);
  });

  test('is not known otherwise', async () => {
    const world = await ServerWorld.create();
    expect((await world.ask({ method: 'PATCH', url: '/api/v1/nothing' })).statusCode).toBe(404);
  });
});

describe('what is answered', () => {
  test('comes in pages of some bytes, and none of it is left out', async () => {
    const world = await ServerWorld.create();
    const id = await world.submit(ONE_JOB);
    const url = `/api/v1/workflows/${id}/events`;
    const note = (length: number) => ({
      method: 'POST',
      url,
      body: { type: 'note', reason: 'x', data: { text: 'x'.repeat(length) } },
    });
    const refused = await world.ask(note(70_000));
    expect(refused.json().error.fields[0]).toEqual({
      path: 'body.data',
      message: 'must be at most 65536 bytes of JSON',
    });
    for (let n = 0; n < 30; n += 1) expect((await world.ask(note(65_000))).statusCode).toBe(204);
    const pages = await pagesOf(world, url);
    expect(pages.length).toBe(2);
    expect(pages.flat()).toHaveLength(31);
  });

  test('of a large spec comes in pages, too', async () => {
    const world = await ServerWorld.create();
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const text = 'x'.repeat(70_000);
    const id = await world.submit({
      name: 'w',
      user_data: numbers.map((n) => ({ name: `d${n}`, data: text })),
      failure_handlers: numbers.map((n) => ({
        name: `h${n}`,
        rules: [{ exit_codes: [1], recovery_script: text }],
      })),
      jobs: numbers.map((n) => ({
        name: `j${n}`,
        command: `echo ${text}`,
        output_files: [`f${n}.txt`],
        failure_handler: `h${n}`,
        input_user_data: [`d${n}`],
      })),
    });
    for (const list of ['user_data', 'failure_handlers', 'files']) {
      const pages = await pagesOf(world, `/api/v1/workflows/${id}/${list}`);
      expect(pages.length, list).toBeGreaterThan(1);
      expect(pages.flat(), list).toHaveLength(20);
    }
  });

  test('of an agent is cut where it is too long', async () => {
    const world = await ServerWorld.create();
    const id = await world.submit(ONE_JOB);
    await world.engine.addEvent(id, {
      type: 'agent',
      actor: 'agent:a',
      reason: 'r'.repeat(20_000),
      data: { transcript: 'x'.repeat(400_000), left: 3 },
    });
    const event = (await world.engine.listEvents(id)).items.at(-1)!;
    expect(event.reason).toMatch(/^r{10000}… \(10000 more characters\)$/);
    expect(event.data).toEqual({ transcript: `${'x'.repeat(4_000)}… (396000 more characters)`, left: 3 });
  });
});

/** The store that the engine of the world reads. */
async function storeOf(world: ServerWorld): Promise<Store> {
  const read = vi.spyOn(SqliteStore.prototype, 'read');
  await world.engine.ping();
  const [store] = read.mock.contexts;
  read.mockRestore();
  return store as Store;
}

test('a full disk is 507 and not ready, until there is space again', async () => {
  const world = await ServerWorld.create();
  const id = await world.submit(ONE_JOB);
  const store = await storeOf(world);
  const pages = (count: number) =>
    store.read(function* (): Script<number> {
      return yield* change(`pragma max_page_count = ${count}`);
    });
  const ready = async () => (await world.ask({ url: '/readyz' })).statusCode;
  const write = () =>
    world.ask({
      method: 'POST',
      url: `/api/v1/workflows/${id}/events`,
      body: { type: 'note', reason: 'x', data: { text: 'x'.repeat(60_000) } },
    });
  expect(await ready()).toBe(200);
  await pages(1);
  const refused = await write();
  expect([refused.statusCode, refused.json().error.code]).toEqual([507, 'DISK_FULL']);
  await pages(1_000_000);
  expect([(await write()).statusCode, await ready()]).toEqual([204, 200]);
  store.freeBytes = () => 4096;
  expect(await ready()).toBe(507);
  store.freeBytes = () => 1e9;
  expect(await ready()).toBe(200);
});
