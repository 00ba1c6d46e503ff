import { describe, expect, test } from 'vitest';
import { Served } from './served-world.ts';

describe('submitting under a key', () => {
  test('gives the workflow that there is, and refuses another one', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }], { key: 'k' });
    expect(await served.submit([{ name: 'a' }], { key: 'k' })).toBe(id);
    await expect(served.submit([{ name: 'b' }], { key: 'k' })).rejects.toMatchObject({ code: 'KEY_REUSED' });
    expect((await served.engine.listWorkflows()).items).toHaveLength(1);
  });
});

describe('tokens', () => {
  test('are known by their secret until they expire or are revoked, and only their hash is stored', async () => {
    const served = new Served();
    const { engine } = served;
    const expires = served.now + 1000;
    const made = await engine.createToken({
      name: 'ci',
      role: 'operator',
      expires_at_ms: expires,
      actor: 'me',
    });
    expect(made.secret).toMatch(/^hf_[\w-]{43}$/);
    expect(await engine.authenticate(made.secret)).toMatchObject({ name: 'ci', role: 'operator' });
    expect(await engine.authenticate(`${made.secret}x`)).toBeNull();
    expect(JSON.stringify(await engine.listTokens())).not.toContain(made.secret);
    served.now = expires;
    expect(await engine.authenticate(made.secret)).toBeNull();
    const other = await engine.createToken({ name: 'x', role: 'viewer', expires_at_ms: null, actor: 'me' });
    await engine.revokeToken(other.id, { actor: 'admin' });
    expect(await engine.authenticate(other.secret)).toBeNull();
    await expect(engine.revokeToken(99, { actor: 'admin' })).rejects.toMatchObject({
      code: 'TOKEN_NOT_FOUND',
    });
    expect((await engine.listAudit()).items.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'admin token_revoked',
      'me token_created',
      'me token_created',
    ]);
  });
});
