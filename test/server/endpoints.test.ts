import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { mayDo, type NeededRole, ROLES, type Role } from '../../src/contract/roles.ts';
import { errorBody } from '../../src/contract/schemas/error-body.ts';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import { CASES } from './endpoint-cases.ts';
import { Scene } from './scene.ts';
import type { Asked } from './server-world.ts';

/** Who may do each of them, written out once more: no role but the admin's is for everything. */
const ADMITTED: Record<NeededRole, Role[]> = {
  any: ['viewer', 'worker', 'operator', 'admin'],
  viewer: ['viewer', 'operator', 'admin'],
  worker: ['worker', 'admin'],
  operator: ['operator', 'admin'],
  admin: ['admin'],
};

test.each(Object.entries(ADMITTED))('what needs %s is for %j', (needed, admitted) => {
  expect(ROLES.filter((role) => mayDo(role, needed as NeededRole))).toEqual(admitted);
});

describe.each(ENDPOINTS)('%s', (id, endpoint) => {
  const { works, bad, missing, conflict } = CASES[id];
  const [role] = ADMITTED[endpoint.role ?? 'any'] as [Role];
  const allowed = (scene: Scene, asked: Asked): Asked => ({ ...asked, token: scene.world.tokens[role] });

  /** For all that is refused whatever the state is, and for one request that is not, which leaves the tokens alone. */
  let scene: Scene;
  let asked: Asked;
  beforeAll(async () => {
    scene = await Scene.open();
    asked = await works(scene);
  });
  afterAll(() => scene.world.close());

  test('works, and answers as described', async () => {
    const isEndless = id === 'streamEvents';
    const answer = await scene.world.ask(allowed(scene, asked), { isEndless });
    const { answer: expected } = endpoint;
    switch (expected.kind) {
      case 'json': {
        expect([answer.statusCode, answer.body]).toEqual([expected.status, expect.anything()]);
        const reported = answer.json();
        // Nothing is missing, and nothing is there that the description does not have.
        expect(expected.schema.parse(reported)).toEqual(reported);
        break;
      }
      case 'none':
        expect([answer.statusCode, answer.body]).toEqual([204, '']);
        break;
      case 'stream':
        expect(answer.headers['content-type']).toContain(expected.type);
        expect(answer.statusCode).toBe(200);
    }
  });

  if (bad !== null)
    test('refuses what it cannot mean, with the place', async () => {
      const [ask, path] = bad;
      const answer = await scene.world.ask(allowed(scene, await ask(scene)));
      const { error } = errorBody.parse(answer.json());
      expect([400, 422]).toContain(answer.statusCode);
      expect(error.fields?.map((field) => field.path)).toContain(path);
    });

  if (missing !== null)
    test('says what is not there', async () => {
      const [ask, code] = missing;
      await expectRefusal(scene, allowed(scene, await ask(scene)), code, 404);
    });

  if (conflict !== null)
    test('refuses what cannot be done as things are', async () => {
      const own = await Scene.create();
      const [ask, code] = conflict;
      await expectRefusal(own, allowed(own, await ask(own)), code, 409);
    });

  if (endpoint.role !== null)
    test('requires a token, and one with the role', async () => {
      for (const url of [asked.url, ...aliasUrls(asked.url, endpoint.aliases)]) {
        await expectRefusal(scene, { ...asked, url }, 'UNAUTHORIZED', 401);
        const wrong = { ...asked, url, token: `hf_${'x'.repeat(43)}` };
        await expectRefusal(scene, wrong, 'UNAUTHORIZED', 401);
        for (const other of ROLES.filter((each) => !ADMITTED[endpoint.role!].includes(each))) {
          await expectRefusal(scene, { ...asked, url, token: scene.world.tokens[other] }, 'FORBIDDEN', 403);
        }
      }
    });
});

test('only its own process acts for a worker, whatever token another one has', async () => {
  const scene = await Scene.create();
  const { world } = scene;
  const byWorker = ENDPOINTS.filter(([, endpoint]) => endpoint.byWorker);
  expect(byWorker.map(([id]) => id).sort()).toEqual([
    'adopt',
    'exchange',
    'news',
    'putLogs',
    'resumeWorker',
    'retireWorker',
  ]);
  const registered = await world.ask({
    ...(await CASES.registerWorker.works(scene)),
    token: world.tokens.worker,
  });
  const other = registered.json() as { id: number; secret: string };
  expect(other.secret).toMatch(/^hf_/);
  world.secrets.set(other.id, other.secret);
  for (const [id] of byWorker) {
    const { worker: _, ...asked } = await CASES[id].works(scene);
    for (const token of [world.tokens.worker, world.tokens.admin]) {
      await expectRefusal(scene, { ...asked, token }, 'NOT_THAT_WORKER', 403);
      await expectRefusal(scene, { ...asked, token, worker: other.id }, 'NOT_THAT_WORKER', 403);
    }
  }
  // Its own secret is no token, and its token alone reads nothing.
  await expectRefusal(scene, { url: '/api/v1/workers', token: other.secret }, 'UNAUTHORIZED', 401);
  await expectRefusal(scene, { url: scene.url('/jobs'), token: world.tokens.worker }, 'FORBIDDEN', 403);
  const list = await world.ask({ url: '/api/v1/workers', token: world.tokens.admin });
  expect(list.body).not.toContain('secret');
});

function aliasUrls(url: string, aliases: readonly string[] = []): string[] {
  return aliases.length === 0 ? [] : [url.replace('/api/v1', '')];
}

async function expectRefusal(scene: Scene, asked: Asked, code: ErrorCode, status: number): Promise<void> {
  const answer = await scene.world.ask(asked);
  const { error } = errorBody.parse(answer.json());
  expect([error.code, answer.statusCode]).toEqual([code, status]);
  expect(ERRORS[code].httpStatus).toBe(status);
}
