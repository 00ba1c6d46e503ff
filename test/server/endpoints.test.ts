import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { errorBody } from '../../src/api/schemas/error-body.ts';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import { ROLES } from '../../src/core/token.ts';
import { CASES } from './endpoint-cases.ts';
import { Scene } from './scene.ts';
import type { Asked } from './server-world.ts';

/** What is below a role; nothing for endpoints that want none. */
const rolesBelow = (role: (typeof ROLES)[number]) => ROLES.slice(0, ROLES.indexOf(role));

describe.each(ENDPOINTS)('%s', (id, endpoint) => {
  const { works, bad, missing, conflict } = CASES[id];
  const role = endpoint.role ?? 'viewer';
  const allowed = (scene: Scene, asked: Asked): Asked => ({ ...asked, token: scene.world.tokens[role] });

  test('works, and answers as described', async () => {
    const scene = await Scene.create();
    const asked = allowed(scene, await works(scene));
    const answer = await scene.world.ask(asked, { isEndless: id === 'streamEvents' });
    const { answer: expected } = endpoint;
    switch (expected.kind) {
      case 'json': {
        expect([answer.statusCode, answer.body]).toEqual([expected.status, expect.anything()]);
        const told = answer.json();
        // Nothing is missing, and nothing is there that the description does not have.
        expect(expected.schema.parse(told)).toEqual(told);
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
      const scene = await Scene.create();
      const [ask, path] = bad;
      const answer = await scene.world.ask(allowed(scene, await ask(scene)));
      const { error } = errorBody.parse(answer.json());
      expect([400, 422]).toContain(answer.statusCode);
      expect(error.fields?.map((field) => field.path)).toContain(path);
    });

  if (missing !== null)
    test('says what is not there', async () => {
      const scene = await Scene.create();
      const [ask, code] = missing;
      await expectRefusal(scene, allowed(scene, await ask(scene)), code, 404);
    });

  if (conflict !== null)
    test('refuses what cannot be done as things are', async () => {
      const scene = await Scene.create();
      const [ask, code] = conflict;
      await expectRefusal(scene, allowed(scene, await ask(scene)), code, 409);
    });

  if (endpoint.role !== null)
    test('wants a token, and one with the role', async () => {
      const scene = await Scene.create();
      const asked = await works(scene);
      for (const url of [asked.url, ...aliasUrls(asked.url, endpoint.aliases)]) {
        await expectRefusal(scene, { ...asked, url }, 'UNAUTHORIZED', 401);
        const wrong = { ...asked, url, token: `hf_${'x'.repeat(43)}` };
        await expectRefusal(scene, wrong, 'UNAUTHORIZED', 401);
        for (const lower of rolesBelow(role)) {
          await expectRefusal(scene, { ...asked, url, token: scene.world.tokens[lower] }, 'FORBIDDEN', 403);
        }
      }
    });
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
