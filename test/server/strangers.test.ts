import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { ENDPOINTS, type EndpointId } from '../../src/contract/endpoints.ts';
import { mayDo } from '../../src/contract/roles.ts';
import { DEFAULT_ALLOCATION_WORKER, type SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import { CASES } from './endpoint-cases.ts';
import { Scene } from './scene.ts';
import type { Asked, ServerWorld } from './server-world.ts';

/** In the name of everything that a stranger may not see. */
const HIDDEN = 'hidden-by-its-group';

const OPERATIONS = ENDPOINTS.filter(([, { role }]) => role === null || mayDo('operator', role));

interface Secret {
  scene: Scene;
  workflow: number;
  request: string;
  strangers: Record<'viewer' | 'operator', string>;
}

/** Work of a group that shows up in every list, and people outside of the group. */
async function secret(): Promise<Secret> {
  const scene = await Scene.create({ accessGroups: { lab: ['a-operator'] } }, ['lab']);
  const { world } = scene;
  const workflow = await hiddenWorkflow(world);
  const request = await hiddenRequest(world);
  const strangers = {} as Secret['strangers'];
  for (const role of ['viewer', 'operator'] as const) {
    const made = { name: `a-strange-${role}`, role, expires_at_ms: null, actor: 'test' } as const;
    strangers[role] = (await world.engine.createToken(made)).secret;
  }
  return { scene, workflow, request, strangers };
}

/** A failure that waits for a decision, one that was decided, a job that runs, a paused scheduler and an allocation. */
async function hiddenWorkflow(world: ServerWorld): Promise<number> {
  const workflow = await world.store({
    name: HIDDEN,
    description: HIDDEN,
    use_pending_failed: true,
    user_data: [{ name: HIDDEN, data: HIDDEN }],
    jobs: ['decided', 'undecided', 'running', 'blocked'].map((name) => ({
      name: `${HIDDEN}-${name}`,
      command: `echo ${HIDDEN}`,
      ...(name === 'blocked' && { depends_on: [`${HIDDEN}-running`] }),
    })),
  });
  const { worker, claims } = await world.claimAll();
  for (const claim of claims.filter(({ job_name }) => job_name.endsWith('decided')))
    await world.finish(worker, claim, { exit_code: 1 });
  const decided = claims.find(({ job_name }) => job_name === `${HIDDEN}-decided`)!;
  const decision = { job_id: decided.job_id, action: 'fail', reason: HIDDEN } as const;
  await world.engine.resolve(workflow, { decisions: [decision], actor: 'test' });
  const ordered = { scheduler: HIDDEN, schedulers: [SCHEDULER], actor: 'test' };
  await world.engine.orderAllocations(workflow, ordered);
  return workflow;
}

const SCHEDULER: SchedulerModel = {
  ...{ name: HIDDEN, options: {}, extra: [], nodes: 1, walltime_ms: 3_600_000, cpus: 4 },
  ...{ memory_bytes: null, gpus: 0, serialize: false, worker: DEFAULT_ALLOCATION_WORKER },
};

/** At a site that is banned for it. */
async function hiddenRequest(world: ServerWorld): Promise<string> {
  const { request_name } = await world.storeRequest({
    ...{ kind: 'request', name: HIDDEN, sites: [HIDDEN] },
    ...{ work: { range: { total: 2, per_job: 1 } }, process: { command: 'true' } },
  });
  await world.engine.banSite(HIDDEN, { request: HIDDEN, reason: HIDDEN, actor: 'test' });
  await world.tendRequests();
  return request_name;
}

/** The request as its case has it, and once with every filter set to what is hidden. */
async function questions(id: EndpointId, endpoint: Endpoint, found: Secret): Promise<Asked[]> {
  const asked = await CASES[id].works(found.scene);
  const all = [asked];
  if (endpoint.method !== 'GET') return all;
  all.push({ ...asked, method: 'HEAD' });
  for (const alias of endpoint.aliases ?? [])
    all.push({ ...asked, url: underAlias(asked.url, endpoint.path, alias) });
  const filters = { workflow_id: String(found.workflow), request: found.request, name: HIDDEN };
  const [path] = asked.url.split('?');
  for (const [name, value] of Object.entries(filters))
    if (name in endpoint.query.shape) all.push({ url: `${path}?${name}=${value}` });
  if (asked.url.includes('?')) all.push({ url: path! });
  return all;
}

/** The values of the path stay, and the query. */
function underAlias(url: string, path: string, alias: string): string {
  const [names, values] = [path.split('/'), url.split('?')[0]!.split('/')];
  const filled = alias.split('/').map((part) => (part.startsWith('{') ? values[names.indexOf(part)]! : part));
  return filled.join('/') + (url.includes('?') ? `?${url.split('?')[1]}` : '');
}

const LISTS: readonly EndpointId[] = [
  ...(['listWorkflows', 'listSummaries', 'listAttention', 'listAllJobs', 'listDecisions'] as const),
  ...(['listRequests', 'listAllocations', 'listSites'] as const),
];

test('no answer to a stranger names what belongs to a group, whichever endpoint and filter is used', async () => {
  const found = await secret();
  const { world } = found.scene;
  const seen = new Set<EndpointId>();
  for (const [id, endpoint] of OPERATIONS) {
    for (const asked of await questions(id, endpoint, found)) {
      for (const [role, token] of Object.entries(found.strangers)) {
        const { body, statusCode } = await world.ask({ ...asked, token });
        // What was sent by the stranger may be quoted.
        const quoted = body.replaceAll(asked.url, '').includes(HIDDEN);
        expect([id, role, asked.url, statusCode, quoted && body]).toEqual([
          id,
          role,
          asked.url,
          statusCode,
          false,
        ]);
        expect(statusCode, `${id} ${asked.url}`).not.toBe(500);
      }
      if (!LISTS.includes(id)) continue;
      const answer = await world.ask({ ...asked, token: world.tokens.operator });
      if (answer.body.includes(HIDDEN)) seen.add(id);
    }
  }
  // Its owner finds all of it in these lists, so that there was something to keep back.
  expect([...seen].sort()).toEqual([...LISTS].sort());
});

/** Every name of a job of the scene as the number of that job, which all workflows share. */
function byNumber(value: unknown, numbers: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return numbers.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => byNumber(each, numbers));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, byNumber(each, numbers)]));
}

describe('the numbers of jobs of another workflow are unknown in one’s own', () => {
  async function two() {
    const { scene, strangers } = await secret();
    const { world, jobs, workflow } = scene;
    const spec = { name: 'mine', jobs: [{ name: 'a', command: 'true' }], access_groups: [] };
    const mine = await world.submit(spec, strangers.operator);
    const numbers = new Map(Object.values(jobs).map(({ name, id }) => [name, String(id)]));
    const state = async () => [
      await world.engine.listEvents(workflow, { limit: 1000 }),
      await world.engine.listJobs(workflow),
      await world.engine.listDecisions({ workflow_id: workflow }),
    ];
    return { scene, mine, numbers, state, token: strangers.operator };
  }

  test('by every endpoint, and nothing of it is changed', async () => {
    const { scene, mine, numbers, state, token } = await two();
    const ofWorkflow = OPERATIONS.filter(([, { path }]) => path.includes('{workflow_id}'));
    const asked: [EndpointId, Asked, boolean][] = [];
    for (const [id] of ofWorkflow) {
      const { url, body, ...rest } = await CASES[id].works(scene);
      const named = url.replace(/(?<=\/jobs\/|[?&]job=)\w+/, (name) => numbers.get(name) ?? name);
      const turned = named.replace(`/workflows/${scene.workflow}`, `/workflows/${mine}`);
      const sent = byNumber(body, numbers);
      const text = JSON.stringify(sent ?? '');
      const isAboutJob = named !== url || text !== JSON.stringify(body ?? '') || text.includes('"job_id"');
      asked.push([id, { ...rest, url: turned, ...(body !== undefined && { body: sent }) }, isAboutJob]);
    }
    const before = await state();
    const answered: EndpointId[] = [];
    for (const [id, each, isAboutJob] of asked) {
      const answer = await scene.world.ask({ ...each, token }, { isEndless: id === 'streamEvents' });
      if (id === 'streamEvents') answer.stream().destroy();
      expect([id, answer.statusCode]).not.toEqual([id, 500]);
      if (isAboutJob && answer.statusCode < 400) answered.push(id);
    }
    expect(answered).toEqual([]);
    expect(asked.filter(([, , isAboutJob]) => isAboutJob)).toHaveLength(10);
    expect(await state()).toEqual(before);
  });
});
