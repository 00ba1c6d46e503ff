import { describe, expect, test } from 'vitest';
import { ENDPOINTS, type EndpointId } from '../../src/contract/endpoints.ts';
import { mayDo } from '../../src/contract/roles.ts';
import { mcpRoutes } from '../../src/mcp/http-route.ts';
import { CASES } from './endpoint-cases.ts';
import { mcpFacts } from './mcp-facts.ts';
import { Scene } from './scene.ts';
import { type Asked, ServerWorld } from './server-world.ts';

const GROUPS = { lab: ['member', 'a-operator'], other: ['stranger'] };
const PEOPLE = ['member', 'stranger'] as const;

/** Work of `a-operator`: of its group, or of no group, which everybody may see. */
async function team(groups: string[]) {
  const scene = await Scene.create({ accessGroups: GROUPS }, groups, (engine) => mcpRoutes(mcpFacts(engine)));
  const tokens: Record<string, string> = {
    owner: scene.world.tokens.operator,
    admin: scene.world.tokens.admin,
  };
  for (const name of PEOPLE) {
    const made = { name, role: 'operator', expires_at_ms: null, actor: 'test' } as const;
    tokens[name] = (await scene.world.engine.createToken(made)).secret;
  }
  return { scene, tokens };
}

/** What belongs to nobody in particular: the role alone decides. */
const SHARED: readonly EndpointId[] = [
  'listWorkflows',
  'listSummaries',
  'listAttention',
  'listAllJobs',
  'listDecisions',
  'listRequests',
  'listAllocations',
  'listSites',
  'listWorkers',
  'listWorkerJobs',
  'drainWorker',
  'createWorkflow',
  'createRequest',
  'checkSpec',
  'simulateSpec',
  'whoAmI',
  'login',
  'logout',
  'changes',
  'metrics',
  'live',
  'ready',
  'openApi',
  'docs',
];
/** For all work it is as the ban of an operator; of one request it belongs to that. */
const OF_REQUEST: readonly EndpointId[] = ['banSite', 'unbanSite'];

const operations = ENDPOINTS.filter(([, { role }]) => role === null || mayDo('operator', role));
const ofSomebody = operations.filter(([id]) => !SHARED.includes(id) && !OF_REQUEST.includes(id));

describe.each([
  { belongs: 'to a group', groups: ['lab'], reads: 404, changes: 404, code: /NOT_FOUND|NO_SUCH_JOB/ },
  { belongs: 'to no group', groups: [], reads: 200, changes: 403, code: /NOT_YOURS/ },
])('what belongs $belongs', ({ groups, reads, changes, code }) => {
  test('is kept from a stranger by every endpoint, and nothing is changed', async () => {
    const { scene, tokens } = await team(groups);
    const { world } = scene;
    const asked: Asked[] = [];
    for (const [id] of ofSomebody) asked.push(await CASES[id].works(scene));
    const before = await world.engine.listEvents(scene.workflow, { limit: 1000 });
    for (const [index, [id, endpoint]] of ofSomebody.entries()) {
      const isEndless = id === 'streamEvents' && reads === 200;
      const answer = await world.ask({ ...asked[index]!, token: tokens.stranger! }, { isEndless });
      const isRead = endpoint.method === 'GET';
      // A worker that holds jobs of others is theirs to declare lost, whoever may see those jobs.
      const expected = id === 'loseWorker' ? 403 : isRead ? reads : changes;
      expect([id, answer.statusCode]).toEqual([id, expected]);
      if (expected > 400 && id !== 'loseWorker') expect(answer.json().error.code).toMatch(code);
      if (isEndless) answer.stream().destroy();
    }
    expect(await world.engine.listEvents(scene.workflow, { limit: 1000 })).toEqual(before);
    // It was there all the time, for those whose it is.
    for (const [index, [id, { method }]] of ofSomebody.entries()) {
      if (method !== 'GET' || id === 'streamEvents') continue;
      const answer = await world.ask({ ...asked[index]!, token: tokens.member! });
      expect([id, answer.statusCode]).toEqual([id, 200]);
    }
  });
});

test('is for the owner, the members of the group and an admin', async () => {
  for (const who of ['owner', 'member', 'admin']) {
    const { scene, tokens } = await team(['lab']);
    const ask = (asked: Asked) => scene.world.ask({ ...asked, token: tokens[who]! });
    const statuses = [
      await ask({ url: scene.url() }),
      await ask({ url: scene.url('/jobs/done/logs/stdout') }),
      await ask({ method: 'POST', url: scene.url('/pause'), body: {} }),
      await ask({ method: 'POST', url: scene.url('/cancel'), body: {} }),
    ].map(({ statusCode }) => statusCode);
    expect([who, ...statuses]).toEqual([who, 200, 200, 200, 200]);
  }
});

test('lists leave out what may not be seen, and do not say how much that is', async () => {
  const { scene, tokens } = await team(['lab']);
  const { world } = scene;
  await world.engine.resolve(scene.workflow, {
    decisions: [{ job_id: scene.jobs.undecided!.id, action: 'fail' }],
    actor: 'test',
  });
  await world.storeRequest({ ...REQUEST, access_groups: ['lab'] });
  await world.engine.banSite('tape', { request: 'hidden', actor: 'test' });
  const lists = [
    '/api/v1/workflows',
    '/api/v1/overview',
    '/api/v1/attention',
    '/api/v1/jobs',
    '/api/v1/decisions',
    `/api/v1/decisions?workflow_id=${scene.workflow}`,
    '/api/v1/requests',
    '/api/v1/allocations',
    '/api/v1/sites?banned=true',
    `/api/v1/workers/${scene.worker}/jobs`,
  ];
  const read = async (token: string) => {
    const found: [string, number][] = [];
    for (const url of lists) {
      const { items } = (await world.ask({ url, token })).json() as { items: unknown[] };
      found.push([url, items.length]);
    }
    return found;
  };
  expect(await read(tokens.stranger!)).toEqual(lists.map((url) => [url, 0]));
  const seen = await read(tokens.member!);
  expect(seen.filter(([url, count]) => count === 0 && url !== '/api/v1/allocations')).toEqual([
    // Its only failure was decided.
    ['/api/v1/attention', 0],
  ]);
  expect(await read(tokens.owner!)).toEqual(seen);
});

test('a page of a list is full, though others in between may not be seen', async () => {
  const { scene, tokens } = await team(['lab']);
  const { world } = scene;
  const job = { jobs: [{ name: 'a', command: 'true' }] };
  const open: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    open.push(await world.store({ ...job, name: 'open', access_groups: [] }));
    await world.store({ ...job, name: 'closed', access_groups: ['lab'] });
  }
  const first = await world.ask({ url: '/api/v1/workflows?limit=2', token: tokens.stranger! });
  const page = first.json() as { items: { id: number }[]; next: number };
  expect(page.items.map(({ id }) => id)).toEqual([open[2], open[1]]);
  const rest = await world.ask({
    url: `/api/v1/workflows?limit=2&after=${page.next}`,
    token: tokens.stranger!,
  });
  expect(rest.json()).toMatchObject({ items: [{ id: open[0] }], next: null });
});

test('upper and lower case are different groups, and a part of a name is none', async () => {
  const world = await ServerWorld.create({
    auth: 'token',
    accessGroups: { Lab: ['a-viewer'], la: ['a-viewer'], 'l.b': ['a-viewer'], l_b: ['a-viewer'] },
  });
  const id = await world.store({ name: 'w', jobs: [{ name: 'a', command: 'true' }], access_groups: ['lab'] });
  const token = world.tokens.viewer;
  expect((await world.ask({ url: `/api/v1/workflows/${id}`, token })).statusCode).toBe(404);
  expect((await world.ask({ url: '/api/v1/workflows', token })).json().items).toEqual([]);
});

const REQUEST = {
  kind: 'request',
  name: 'hidden',
  work: { range: { total: 2, per_job: 1 } },
  process: { command: 'true' },
};

describe('a spec', () => {
  const submit = (world: ServerWorld, token: string, groups: string[]) =>
    world.ask({
      method: 'POST',
      url: '/api/v1/workflows',
      body: { spec: { name: 'w', jobs: [{ name: 'a', command: 'true' }], access_groups: groups } },
      token,
    });

  test('names only groups that there are, and that the submitter is in', async () => {
    const { scene, tokens } = await team([]);
    const { world } = scene;
    const made = await submit(world, tokens.member!, ['lab', 'lab']);
    expect(made.json()).toMatchObject({ owner: 'member', access_groups: ['lab'], notes: [] });
    const unknown = await submit(world, tokens.member!, ['labb']);
    expect([unknown.statusCode, unknown.json().error.fields]).toEqual([
      422,
      [
        {
          path: 'body.spec.access_groups[0]',
          message: expect.stringContaining('the server has no group "labb"'),
        },
      ],
    ]);
    expect(unknown.json().error.fields[0].message).toContain('did you mean "lab"?');
    const foreign = await submit(world, tokens.member!, ['lab', 'other']);
    expect([foreign.statusCode, foreign.json().error.fields[0].path]).toEqual([
      422,
      'body.spec.access_groups[1]',
    ]);
    expect((await submit(world, tokens.admin!, ['other'])).statusCode).toBe(201);
  });

  test('says that groups keep nobody out of a server without tokens', async () => {
    const world = await ServerWorld.create();
    const { notes } = (await submit(world, '', ['lab'])).json() as { notes: string[] };
    expect(notes.join()).toContain('this server runs without tokens');
  });

  test('takes the groups of an edited spec, which keeps those that it had', async () => {
    const { scene, tokens } = await team(['lab']);
    const { world } = scene;
    const update = (groups: string[], token: string) =>
      world.ask({
        method: 'PUT',
        url: scene.url('/spec'),
        body: {
          spec: { name: 'scene', jobs: [{ name: 'a', command: 'true' }], access_groups: groups },
          dry_run: true,
        },
        token,
      });
    const changed = await update([], tokens.owner!);
    expect(changed.json().workflow.map(({ field }: { field: string }) => field)).toContain('access_groups');
    expect((await update(['lab'], tokens.owner!)).statusCode).toBe(200);
    expect((await update(['other'], tokens.owner!)).statusCode).toBe(422);
    // A group that an admin gave it stays in the spec, whoever edits that.
    const both = { spec: { ...scene.spec, access_groups: ['lab', 'other'] } };
    await world.ask({ method: 'PUT', url: scene.url('/spec'), body: both, token: tokens.admin! });
    expect((await update(['other'], tokens.owner!)).statusCode).toBe(200);
  });
});

test('a log that is followed ends when the workflow is closed to its reader', async () => {
  const { scene, tokens } = await team([]);
  const { world, worker, claims } = scene;
  const write = (offset: number, data: string) =>
    world.engine.putLogs(worker, [
      { token: claims.running!.token, stream: 'stdout', offset, data: Buffer.from(data) },
    ]);
  await write(0, 'open');
  const url = scene.url('/jobs/running/logs/stdout?follow=true');
  const answer = await world.ask({ url, token: tokens.stranger! }, { isEndless: true });
  let text = '';
  for await (const chunk of answer.stream()) {
    text += String(chunk);
    if (text !== 'open') continue;
    const body = { spec: { ...scene.spec, access_groups: ['lab'] } };
    await world.ask({ method: 'PUT', url: scene.url('/spec'), body, token: tokens.admin! });
    await write(4, ' and closed');
  }
  expect(text).toBe('open');
});

describe('a request', () => {
  test('gives its owner and its groups to its rounds, also when a member restarts it', async () => {
    const { scene, tokens } = await team([]);
    const { world } = scene;
    await world.storeRequest({ ...REQUEST, access_groups: ['lab'] });
    const restart = { method: 'POST', url: '/api/v1/requests/hidden/restart', body: {} };
    expect((await world.ask({ ...restart, token: tokens.stranger! })).statusCode).toBe(404);
    expect((await world.ask({ ...restart, token: tokens.member! })).statusCode).toBe(200);
    await world.tendRequests();
    const { rounds, owner, actor } = await world.engine.getRequest('hidden');
    expect([owner, actor]).toEqual(['a-operator', 'member']);
    expect(await world.engine.getWorkflow(rounds[0]!.workflow_id)).toMatchObject({
      owner: 'a-operator',
      access_groups: ['lab'],
    });
  });

  test('is not replaced by one of another owner', async () => {
    const { scene, tokens } = await team([]);
    const { world } = scene;
    await world.storeRequest(REQUEST);
    await world.engine.failRequest('hidden', { actor: 'test' });
    const again = { method: 'POST', url: '/api/v1/requests', body: { spec: REQUEST } };
    const refused = await world.ask({ ...again, token: tokens.stranger! });
    expect([refused.statusCode, refused.json().error.message]).toEqual([
      403,
      'request hidden belongs to a-operator',
    ]);
    expect((await world.ask({ ...again, token: tokens.owner! })).statusCode).toBe(201);
  });

  test('keeps its bans of sites from others', async () => {
    const { scene, tokens } = await team([]);
    const { world } = scene;
    await world.storeRequest(REQUEST);
    const ban = (body: object, token: string) =>
      world.ask({ method: 'POST', url: '/api/v1/sites/tape/ban', body, token });
    expect((await ban({ request: 'hidden' }, tokens.stranger!)).statusCode).toBe(403);
    expect((await ban({ request: 'hidden' }, tokens.owner!)).statusCode).toBe(201);
    expect((await ban({}, tokens.stranger!)).statusCode).toBe(201);
    const unban = (query: string, token: string) =>
      world.ask({ method: 'DELETE', url: `/api/v1/sites/tape/ban${query}`, token });
    expect((await unban('?request=hidden', tokens.stranger!)).statusCode).toBe(403);
    // The ban for all work, and not that of the request.
    expect((await unban('', tokens.stranger!)).json()).toEqual({ removed: 1 });
    expect((await unban('', tokens.owner!)).json()).toEqual({ removed: 1 });
  });
});

test('an idempotency key of another caller gives no workflow of theirs', async () => {
  const { scene, tokens } = await team([]);
  const submit = (token: string) =>
    scene.world.ask({
      method: 'POST',
      url: '/api/v1/workflows',
      body: { spec: { name: 'w', jobs: [{ name: 'a', command: 'true' }] } },
      headers: { 'idempotency-key': 'k' },
      token,
    });
  const [first, again, other] = [
    await submit(tokens.owner!),
    await submit(tokens.owner!),
    await submit(tokens.stranger!),
  ];
  expect(again.json().id).toBe(first.json().id);
  expect([other.statusCode, other.json().error.code]).toEqual([409, 'KEY_REUSED']);
});

test('a stream ends when the workflow is closed to its reader', async () => {
  const { scene, tokens } = await team([]);
  const { world } = scene;
  const answer = await world.ask(
    { url: scene.url('/events/stream'), token: tokens.stranger! },
    { isEndless: true },
  );
  let isClosed = false;
  for await (const _ of answer.stream()) {
    if (isClosed) continue;
    isClosed = true;
    await world.ask({
      method: 'PUT',
      url: scene.url('/spec'),
      body: { spec: { ...scene.spec, access_groups: ['lab'] } },
      token: tokens.admin!,
    });
  }
  expect((await world.engine.getWorkflow(scene.workflow)).access_groups).toEqual(['lab']);
});

/** Calls the methods of MCP, as the holder of a token. */
function caller(world: ServerWorld) {
  return async (method: string, params: object, token: string) => {
    const answer = await world.ask({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method, params },
      token,
    });
    const text = answer.body.replace(/^event: message\ndata: /, '');
    return (JSON.parse(text) as { result: Record<string, never> }).result;
  };
}

describe('tools for agents', () => {
  const ARGUMENTS: Record<string, unknown> = {
    job_id: 'done',
    job: 'done',
    classifications: [{ job_id: 1, action: 'retry', reason: 'flaky' }],
    status: 'failed',
  };

  test.each([
    { groups: ['lab'], reads: 'WORKFLOW_NOT_FOUND', writes: 'WORKFLOW_NOT_FOUND' },
    { groups: [], reads: undefined, writes: 'NOT_YOURS' },
  ])('follow the same rule, of work in $groups', async ({ groups, reads, writes }) => {
    const { scene, tokens } = await team(groups);
    const rpc = caller(scene.world);
    const { tools } = (await rpc('tools/list', {}, tokens.stranger!)) as unknown as {
      tools: { name: string; inputSchema: { required?: string[] }; annotations: { readOnlyHint: boolean } }[];
    };
    expect(tools.length).toBeGreaterThan(9);
    for (const { name, inputSchema, annotations } of tools) {
      const given = Object.fromEntries(
        (inputSchema.required ?? []).map((key) => [
          key,
          key === 'workflow_id' ? scene.workflow : ARGUMENTS[key],
        ]),
      );
      const call = { name, arguments: given };
      const result = (await rpc('tools/call', call, tokens.stranger!)) as unknown as {
        content: { text: string }[];
      };
      const { error } = JSON.parse(result.content[0]!.text) as { error?: { code: string } };
      expect([name, error?.code]).toEqual([name, annotations.readOnlyHint ? reads : writes]);
    }
  });

  test('know no jobs of another workflow by their numbers, and change nothing there', async () => {
    const { scene, tokens } = await team(['lab']);
    const { world, jobs, workflow } = scene;
    const spec = { name: 'mine', jobs: [{ name: 'a', command: 'true' }], access_groups: [] };
    const mine = await world.submit(spec, tokens.stranger!);
    const rpc = caller(world);
    const { tools } = (await rpc('tools/list', {}, tokens.stranger!)) as unknown as {
      tools: { name: string; inputSchema: { properties: Record<string, unknown> } }[];
    };
    const before = await world.engine.listEvents(workflow, { limit: 1000 });
    const decision = { job_id: jobs.undecided!.id, action: 'retry', reason: 'flaky', confidence: 1 };
    const others: Record<string, unknown> = {
      job_id: jobs.done!.id,
      jobs: [String(jobs.broken!.id)],
      classifications: [decision],
    };
    const refused: string[] = [];
    for (const { name, inputSchema } of tools) {
      const keys = Object.keys(others).filter((key) => key in inputSchema.properties);
      if (keys.length === 0) continue;
      const given = { workflow_id: mine, ...Object.fromEntries(keys.map((key) => [key, others[key]])) };
      const more = name === 'update_job_resources' ? { memory: '2g' } : {};
      const call = { name, arguments: { ...given, ...more } };
      const result = (await rpc('tools/call', call, tokens.stranger!)) as unknown as {
        content: { text: string }[];
      };
      const { error } = JSON.parse(result.content[0]!.text) as { error?: { code: string } };
      expect([name, error?.code]).toEqual([
        name,
        expect.stringMatching(/^(JOB_NOT_FOUND|NO_PENDING_FAILED)$/),
      ]);
      refused.push(name);
    }
    expect(refused.sort()).toEqual([
      'classify_and_resolve_failures',
      'explain_job',
      'get_job_details',
      'get_job_logs',
      'list_results',
    ]);
    expect(await world.engine.listEvents(workflow, { limit: 1000 })).toEqual(before);
  });
});
