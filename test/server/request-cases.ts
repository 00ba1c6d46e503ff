import type { requestEndpoints } from '../../src/contract/operations/request-endpoints.ts';
import { type Ask, type EndpointCase, get, post, remove } from './endpoint-case.ts';
import type { Scene } from './scene.ts';
import type { Asked } from './server-world.ts';

const SPEC = {
  kind: 'request',
  name: 'sweep',
  work: { range: { total: 4, per_job: 1 } },
  jobs_per_unit: 2,
  process: { command: 'echo {first}', retry: 0 },
};
const INVENTORY = {
  ...SPEC,
  work: { items: ['a.root', 'b.root', 'c.root'], per_job: 1 },
  process: { command: 'cat {items}', retry: 0 },
};
/** Its only site is banned, so that it is held when its first round is planned. */
const AT_NORTH = { ...SPEC, sites: ['north'] };

/** Brings a request of its own to where it is needed, and returns its name: a scene may have all of them. */
type Prepare = (scene: Scene) => Promise<string>;

let made = 0;

/** A request that waits for its admission. */
async function queued({ world }: Scene, spec: object = SPEC): Promise<string> {
  made += 1;
  const { request_name } = await world.storeRequest({ ...spec, name: `sweep-${made}` });
  return request_name;
}

/** A request whose round has been planned and not begun. */
async function active(scene: Scene, spec: object = SPEC): Promise<string> {
  const name = await queued(scene, spec);
  await scene.world.tendRequests();
  return name;
}

async function held(scene: Scene): Promise<string> {
  await scene.world.engine.banSite('north', { actor: 'test' });
  return active(scene, AT_NORTH);
}

async function paused(scene: Scene): Promise<string> {
  const name = await queued(scene);
  await scene.world.engine.pauseRequest(name, { actor: 'test' });
  return name;
}

async function failed(scene: Scene): Promise<string> {
  const name = await queued(scene);
  await scene.world.engine.failRequest(name, { actor: 'test' });
  return name;
}

/** A request whose round has ended: every job failed, as a worker at the site `lab` reported. */
async function failing(scene: Scene): Promise<string> {
  const { world } = scene;
  const name = await active(scene);
  const { worker, claims } = await world.claimAll();
  for (const claim of claims) await world.failForGood(worker, claim);
  return name;
}

const urlOf = (name: string, rest = '') => `/api/v1/requests/${name}${rest}`;
const url = (rest: string) => urlOf('nobody', rest);

const after =
  (prepare: Prepare, ask: (name: string) => Asked): Ask =>
  async (scene) =>
    ask(await prepare(scene));

const read = (prepare: Prepare, rest: string): Ask => after(prepare, (name) => get(urlOf(name, rest)));

const act = (prepare: Prepare, rest: string, body: object): Ask =>
  after(prepare, (name) => post(urlOf(name, rest), body));

const noRequest = (method: 'GET' | 'POST', rest: string): [Ask, 'REQUEST_NOT_FOUND'] => [
  () => (method === 'GET' ? get(url(rest)) : post(url(rest), {})),
  'REQUEST_NOT_FOUND',
];

/** The cases of an action that needs nothing but a state. */
function action(name: string, fits: Prepare, unfit: Prepare): EndpointCase {
  return {
    works: act(fits, `/${name}`, { reason: 'maintenance' }),
    bad: [act(fits, `/${name}`, { why: 'maintenance' }), 'body.why'],
    missing: noRequest('POST', `/${name}`),
    conflict: [act(unfit, `/${name}`, {}), 'REQUEST_STATE'],
  };
}

export const REQUEST_CASES: Record<keyof typeof requestEndpoints, EndpointCase> = {
  createRequest: {
    works: () => post('/api/v1/requests', { spec: SPEC }),
    bad: [
      () => post('/api/v1/requests', { spec: { ...SPEC, process: { comand: 'x' } } }),
      'body.spec.process.comand',
    ],
    missing: null,
    conflict: [
      after(queued, (name) => post('/api/v1/requests', { spec: { ...SPEC, name } })),
      'REQUEST_EXISTS',
    ],
  },
  listRequests: {
    works: after(queued, () => get('/api/v1/requests?state=QUEUED,HELD&limit=1')),
    bad: [() => get('/api/v1/requests?state=QUEUED,WAITING'), 'query.state[1]'],
    missing: null,
    conflict: null,
  },
  getRequest: {
    works: read(active, '@1'),
    bad: [() => get(url('?verbose=1')), 'query.verbose'],
    missing: noRequest('GET', ''),
    conflict: null,
  },
  listRounds: {
    works: read(failing, '/rounds'),
    bad: [() => get(url('/rounds?limit=0')), 'query.limit'],
    missing: noRequest('GET', '/rounds'),
    conflict: null,
  },
  listUnits: {
    works: read(active, '/units?round=1&state=open'),
    bad: [() => get(url('/units?state=broken')), 'query.state[0]'],
    missing: noRequest('GET', '/units'),
    conflict: null,
  },
  listItems: {
    works: read((scene) => active(scene, INVENTORY), '/items?state=fresh&limit=2'),
    bad: [() => get(url('/items?after=x')), 'query.after'],
    missing: noRequest('GET', '/items'),
    conflict: null,
  },
  requestErrors: {
    works: read(failing, '/errors?round=1'),
    bad: [() => get(url('/errors?round=0')), 'query.round'],
    missing: [read(active, '/errors?round=2'), 'ROUND_NOT_FOUND'],
    conflict: null,
  },
  requestHistory: {
    works: read(failing, '/history?limit=3'),
    bad: [() => get(url('/history?limit=many')), 'query.limit'],
    missing: noRequest('GET', '/history'),
    conflict: null,
  },
  releaseRequest: {
    works: act(held, '/release', { retry_count: 5, memory_mb: 6144, reason: 'north is back' }),
    bad: [act(held, '/release', { error_hold_threshold: 1.5 }), 'body.error_hold_threshold'],
    missing: noRequest('POST', '/release'),
    conflict: [act(queued, '/release', {}), 'REQUEST_STATE'],
  },
  failRequest: action('fail', active, failed),
  restartRequest: action('restart', failing, failed),
  stopRequest: action('stop', active, held),
  pauseRequest: action('pause', queued, active),
  resumeRequest: action('resume', paused, queued),
  listSites: {
    works: after(held, () => get('/api/v1/sites?banned=true')),
    bad: [() => get('/api/v1/sites?banned=maybe'), 'query.banned'],
    missing: null,
    conflict: null,
  },
  banSite: {
    works: after(queued, (request) => post('/api/v1/sites/south/ban', { request, duration_days: 0.5 })),
    bad: [() => post('/api/v1/sites/south/ban', { duration_days: 0 }), 'body.duration_days'],
    missing: [() => post('/api/v1/sites/south/ban', { request: 'nobody' }), 'REQUEST_NOT_FOUND'],
    conflict: null,
  },
  unbanSite: {
    works: after(held, () => remove('/api/v1/sites/north/ban')),
    bad: [() => remove('/api/v1/sites/north/ban?name=x'), 'query.name'],
    missing: [() => remove('/api/v1/sites/north/ban?request=nobody'), 'REQUEST_NOT_FOUND'],
    conflict: null,
  },
};
