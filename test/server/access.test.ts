import { describe, expect, test } from 'vitest';
import { requestUrl } from '../../src/client/transport/request-url.ts';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { mcpRoutes } from '../../src/mcp/http-route.ts';
import { checkListen } from '../../src/server/auth/check-listen.ts';
import { CASES } from './endpoint-cases.ts';
import { mcpFacts } from './mcp-facts.ts';
import { Scene } from './scene.ts';
import { type Asked, IDENTITY, ServerWorld } from './server-world.ts';

const WRONG = `hf_${'w'.repeat(43)}`;

describe('where it may listen', () => {
  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org', '127.0.0.1.example.org', ''])(
    'refuses %j without auth',
    (host) => {
      expect(() => checkListen(host, 'none')).toThrow(expect.objectContaining({ code: 'AUTH_REQUIRED' }));
      expect(() => checkListen(host, 'token')).not.toThrow();
    },
  );

  test.each(['127.0.0.1', 'localhost', '::1', '127.1.2.3'])('accepts %s without auth', (host) => {
    expect(() => checkListen(host, 'none')).not.toThrow();
  });

  test('a server for everybody without auth cannot even be made', async () => {
    await expect(ServerWorld.create({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  });
});

describe('a viewer', () => {
  test('can change nothing, by any route', async () => {
    const scene = await Scene.create();
    const { world } = scene;
    const token = world.tokens.viewer;
    const all: Asked[] = [];
    // Whatever a case prepares by itself is not what is tried here.
    for (const [id] of ENDPOINTS) all.push(await CASES[id].works(scene));
    const before = await everything(scene);
    for (const [index, [id, endpoint]] of ENDPOINTS.entries()) {
      const asked = all[index]!;
      const urls = [asked.url, ...(endpoint.aliases ? [asked.url.replace('/api/v1', '')] : [])];
      for (const url of urls) {
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
          const answer = await world.ask({ ...asked, url, method, token });
          // A login changes nothing but the browser's own cookie.
          if (id === 'login' || id === 'logout') continue;
          expect([`${method} ${url}`, answer.statusCode]).toEqual([
            expect.anything(),
            expect.toBeOneOf([403, 404, 405]),
          ]);
        }
      }
    }
    expect(await everything(scene)).toEqual(before);
  });

  test('is refused by every route that wants more, whatever is said', async () => {
    const world = await ServerWorld.create({ auth: 'token', routes: [mcpRoutes(mcpFacts())] });
    const wanting = world.server.routes.filter(
      ({ role }) => role !== null && role !== 'viewer' && role !== 'any',
    );
    expect(wanting.length).toBeGreaterThan(20);
    for (const { method, url } of wanting) {
      const filled = url.replaceAll(/:\w+/g, '1');
      const answer = await world.ask({ method, url: filled, token: world.tokens.viewer, body: {} });
      expect([url, answer.statusCode]).toEqual([url, 403]);
    }
    const open = world.server.routes.filter(({ role, method }) => role === null && method !== 'GET');
    expect(open.map(({ url }) => url).sort()).toEqual(['/api/v1/login', '/api/v1/logout']);
    const reading = world.server.routes.filter(({ role, method }) => role === 'viewer' && method !== 'GET');
    // Its tools look at the role themselves.
    expect(new Set(reading.map(({ url }) => url))).toEqual(new Set(['/mcp']));
  });
});

/** All that could have been changed. */
async function everything({ world: { engine }, workflow }: Scene): Promise<unknown> {
  return {
    workflows: (await engine.listWorkflows()).items,
    jobs: (await engine.listJobs(workflow)).items,
    events: (await engine.listEvents(workflow)).items,
    attempts: (await engine.listAttempts(workflow)).items,
    handlers: (await engine.listFailureHandlers(workflow)).items,
    data: (await engine.listUserData(workflow)).items,
    requests: (await engine.listRequests()).items,
    sites: await engine.listSites(),
    audit: (await engine.listAudit()).items,
    tokens: await engine.listTokens(),
    workers: (await engine.listWorkers()).items.map(({ id, state }) => ({ id, state })),
  };
}

describe('a client without a token', () => {
  test.each(['/api/v1/login', '/api/v1/logout'])('is not read for long by %s', async (url) => {
    const world = await ServerWorld.create({ auth: 'token' });
    const body = { token: 'x'.repeat(5000) };
    const { statusCode, body: text } = await world.ask({ method: 'POST', url, body });
    expect([statusCode, text]).toEqual([413, expect.stringContaining('larger than 4096 bytes')]);
  });

  test('is not read at all where there is nothing', async () => {
    const world = await ServerWorld.create({ auth: 'token' });
    const answer = await world.ask({ method: 'POST', url: '/nothing?a=b', body: '{"not": JSON' });
    expect([answer.statusCode, answer.json().error.message]).toEqual([404, 'there is no POST /nothing']);
  });
});

test('a body in which everything is wrong is refused, however much that is', async () => {
  const world = await ServerWorld.create({ auth: 'token' });
  const body = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`k${n}`, 0]));
  const url = '/api/v1/tokens';
  const answer = await world.ask({ method: 'POST', url, body, token: world.tokens.admin });
  expect([answer.statusCode, answer.json().error.fields.length]).toEqual([422, 50]);
});

describe('pages of other sites', () => {
  const ask = async (headers: Record<string, string>, allowHosts: string[] = []) => {
    const world = await ServerWorld.create({ allowHosts });
    const answer = await world.ask({ url: '/api/v1/workflows', headers });
    return [answer.statusCode, answer.json().error?.code];
  };
  const refused = [403, 'FOREIGN_REQUEST'];

  test('a Host that is not this server is refused', async () => {
    for (const host of [
      'evil.example',
      'evil.example:80',
      '127.0.0.1.evil.example',
      '169.254.1.1',
      '[::2]',
    ]) {
      expect(await ask({ host })).toEqual(refused);
    }
  });

  test('names of this machine, and those that were allowed, are accepted', async () => {
    for (const host of ['localhost:7777', '127.0.0.1', '[::1]:9', 'LOCALHOST']) {
      expect(await ask({ host })).toEqual([200, undefined]);
    }
    expect(await ask({ host: 'holdfast.example' }, ['holdfast.example'])).toEqual([200, undefined]);
  });

  test('a foreign Origin is refused, also on another port, and one that hides', async () => {
    const host = 'localhost:7777';
    for (const origin of [
      'http://evil.example',
      'http://localhost:8888',
      'null',
      'file://',
      'http://a@localhost:7777',
    ]) {
      expect(await ask({ host, origin })).toEqual(refused);
    }
    expect(await ask({ host, origin: 'http://localhost:7777' })).toEqual([200, undefined]);
  });

  test('everything is refused to them, health too', async () => {
    const world = await ServerWorld.create();
    for (const { method, url } of world.server.routes) {
      const filled = url.replaceAll(/:\w+/g, '1');
      const answer = await world.ask({ method, url: filled, headers: { host: 'evil.example' } });
      expect([url, answer.statusCode]).toEqual([url, 403]);
    }
  });
});

describe('a browser', () => {
  const host = 'localhost:7777';
  const origin = 'http://localhost:7777';

  async function loggedIn(options = {}, headers = {}) {
    const world = await ServerWorld.create({ auth: 'token', ...options });
    const answer = await world.ask({
      method: 'POST',
      url: '/api/v1/login',
      body: { token: world.tokens.operator },
      headers: { host, origin, ...headers },
    });
    const set = String(answer.headers['set-cookie']);
    return { world, set, cookie: set.split(';')[0]! };
  }

  test('gets a cookie that scripts cannot read and other sites cannot have sent', async () => {
    const { set } = await loggedIn();
    expect(set).toMatch(/^holdfast_token=hf_[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  });

  test('gets it for TLS alone if a trusted proxy says that there is TLS', async () => {
    const forwarded = { 'x-forwarded-proto': 'https' };
    expect((await loggedIn({}, forwarded)).set).not.toContain('Secure');
    expect((await loggedIn({ trustProxy: ['127.0.0.1'] }, forwarded)).set).toMatch(/; Secure$/);
  });

  test('reads with it, and changes only from a page of this server', async () => {
    const { world, cookie } = await loggedIn();
    const read = await world.ask({ url: '/api/v1/whoami', headers: { host, cookie } });
    expect(read.json()).toEqual({ name: 'a-operator', role: 'operator', groups: [], auth: 'token' });
    const body = { spec: { name: 'w', jobs: [{ name: 'a', command: 'true' }] } };
    const change = { method: 'POST', url: '/api/v1/workflows', body };
    expect((await world.ask({ ...change, headers: { host, cookie } })).statusCode).toBe(403);
    const foreign = { host, cookie, origin: 'http://evil.example' };
    expect((await world.ask({ ...change, headers: foreign })).statusCode).toBe(403);
    expect((await world.ask({ ...change, headers: { host, cookie, origin } })).statusCode).toBe(201);
  });

  test('gives it back', async () => {
    const { world, cookie } = await loggedIn();
    const answer = await world.ask({
      method: 'POST',
      url: '/api/v1/logout',
      headers: { host, origin, cookie },
    });
    expect(answer.headers['set-cookie']).toMatch(/^holdfast_token=; .*Max-Age=0/);
  });

  test('cannot log in with a wrong token', async () => {
    const world = await ServerWorld.create({ auth: 'token' });
    const answer = await world.ask({ method: 'POST', url: '/api/v1/login', body: { token: WRONG } });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });
});

describe('tokens', () => {
  test('wrong ones are limited by address, valid ones are not', async () => {
    const clock = { now: 1_000_000 };
    const world = await ServerWorld.create({ auth: 'token', clock: () => clock.now });
    const ask = async (token: string) => (await world.ask({ url: '/api/v1/whoami', token })).statusCode;
    for (let failure = 1; failure <= 10; failure += 1) expect(await ask(WRONG)).toBe(401);
    const limited = await world.ask({ url: '/api/v1/whoami', token: WRONG });
    expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '60']);
    expect(await ask(world.tokens.viewer)).toBe(200);
    clock.now += 60_001;
    expect(await ask(WRONG)).toBe(401);
  });

  test('a revoked one stops working at once here, and within seconds elsewhere', async () => {
    const clock = { now: Date.now() };
    const world = await ServerWorld.create({ auth: 'token', clock: () => clock.now });
    const ask = async (token: string) => (await world.ask({ url: '/api/v1/whoami', token })).statusCode;
    const { viewer, operator, admin } = world.tokens;
    expect([await ask(viewer), await ask(operator)]).toEqual([200, 200]);
    const idOf = async (role: string) =>
      (await world.engine.listTokens()).find((token) => token.role === role)!.id;
    await world.ask({ method: 'DELETE', url: `/api/v1/tokens/${await idOf('viewer')}`, token: admin });
    expect(await ask(viewer)).toBe(401);
    // As if another server had done it.
    expect(await ask(operator)).toBe(200);
    await world.engine.revokeToken(await idOf('operator'), { actor: 'elsewhere' });
    clock.now += 2_001;
    expect(await ask(operator)).toBe(401);
  });

  test.each([
    ['a followed log', 'jobs/a/logs/stdout?follow=true'],
    ['an event stream', 'events/stream'],
  ])('a revoked one ends %s that it was reading, though there is more to come', async (_, path) => {
    const world = await ServerWorld.create({ auth: 'token' });
    const { viewer, operator, admin } = world.tokens;
    const id = await world.submit({ name: 'w', jobs: [{ name: 'a', command: 'true' }] }, operator);
    const { worker, claims } = await world.claimAll();
    const put = (offset: number) =>
      world.engine.putLogs(worker, [
        { token: claims[0]!.token, stream: 'stdout', offset, data: Buffer.from('tick') },
      ]);
    await put(0);
    const reading = { url: `/api/v1/workflows/${id}/${path}`, token: viewer };
    const answer = await world.ask(reading, { isEndless: true });
    expect(answer.statusCode).toBe(200);
    let isRevoked = false;
    for await (const _chunk of answer.stream()) {
      if (isRevoked) continue;
      await world.ask({ method: 'DELETE', url: '/api/v1/tokens/1', token: admin });
      isRevoked = true;
      await put(4);
    }
    expect(isRevoked).toBe(true);
    expect(await world.engine.status(id)).toMatchObject({ complete: false });
  });

  test('an expired one is none', async () => {
    const clock = { now: Date.now() };
    const world = await ServerWorld.create({ auth: 'token', clock: () => clock.now });
    const expires_at_ms = clock.now + 1000;
    const made = await world.engine.createToken({
      name: 'brief',
      role: 'viewer',
      expires_at_ms,
      actor: 'test',
    });
    const ask = async () => (await world.ask({ url: '/api/v1/whoami', token: made.secret })).statusCode;
    expect(await ask()).toBe(200);
    clock.now += 1000;
    expect(await ask()).toBe(401);
  });

  test('the name of the token is the actor, whatever the request says', async () => {
    const world = await ServerWorld.create({ auth: 'token' });
    const id = await world.submit(
      { name: 'w', jobs: [{ name: 'a', command: 'true' }] },
      world.tokens.operator,
    );
    await world.ask({
      method: 'POST',
      url: `/api/v1/workflows/${id}/cancel`,
      body: {},
      token: world.tokens.operator,
      headers: { 'holdfast-actor': 'anyone' },
    });
    const { items } = await world.engine.listEvents(id);
    const actors = new Map(items.map(({ type, actor }) => [type as string, actor]));
    expect([actors.get('workflow_created'), actors.get('cancel')]).toEqual(['a-operator', 'a-operator']);
  });

  test('of an agent it is marked as one, so that the limits of agents hold', async () => {
    const scene = await Scene.create();
    const { world, jobs } = scene;
    await world.ask({
      method: 'POST',
      url: scene.url('/resolve'),
      body: {
        decisions: [{ job_id: jobs.undecided!.id, action: 'retry' }],
        agent: { max_decisions: 1, min_confidence: 0 },
      },
      token: world.tokens.operator,
    });
    const [decision] = (await world.engine.listDecisions()).items;
    expect(decision?.actor).toBe('agent:a-operator');
  });

  test('the name of the token is recorded for a worker that registers, resumes and is declared lost', async () => {
    const world = await ServerWorld.create({ auth: 'token' });
    const ask = (role: 'worker' | 'operator', method: string, path: string, more: Partial<Asked> = {}) =>
      world.ask({ method, url: `/api/v1/workers${path}`, token: world.tokens[role], ...more });
    const { id, secret } = (await ask('worker', 'POST', '', { body: IDENTITY })).json();
    world.secrets.set(id, secret);
    const answers = [
      await ask('worker', 'POST', `/${id}/resume`, { body: IDENTITY, worker: id }),
      await ask('operator', 'POST', `/${id}/drain`),
      await ask('operator', 'POST', `/${id}/lost`),
      await ask('worker', 'POST', `/${id}/retire`, { worker: id }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 204]);
    const { items } = await world.engine.listAudit({ limit: 4 });
    expect(items.map(({ action, actor, subject }) => [action, actor, subject])).toEqual(
      [
        ['lost', 'operator'],
        ['drained', 'operator'],
        ['resumed', 'worker'],
        ['registered', 'worker'],
      ].map(([verb, role]) => [`worker_${verb}`, `a-${role}`, `worker ${id} (elsewhere, process 4711)`]),
    );
  });

  test('without auth the client says who it is', async () => {
    const world = await ServerWorld.create();
    const id = await world.submit({ name: 'w', jobs: [{ name: 'a', command: 'true' }] });
    const cancel = (actor: string) =>
      world.ask({
        method: 'POST',
        url: `/api/v1/workflows/${id}/cancel`,
        body: {},
        headers: { 'holdfast-actor': encodeURIComponent(actor) },
      });
    expect((await cancel('Zoë')).statusCode).toBe(200);
    expect((await world.engine.listEvents(id)).items.map(({ actor }) => actor)).toContain('Zoë');
    expect((await cancel('a\nb')).statusCode).toBe(422);
  });
});

test('parameters with every kind of letter reach the server as they are', async () => {
  const world = await ServerWorld.create();
  const names = ['17', 'name:x', 'a/b', '..', 'ä ö', '%2F', 'a?b#c', '🚀'.repeat(100)];
  const id = await world.submit({ name: 'w', jobs: names.map((name) => ({ name, command: 'true' })) });
  for (const job of names) {
    const url = requestUrl('', '/api/v1/workflows/{workflow_id}/jobs/{job}', { workflow_id: id, job }, {});
    const answer = await world.ask({ url });
    expect([job, answer.json().name]).toEqual([job, job]);
  }
});
