import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/contract/pages/page-paths.ts';
import { WebFiles } from '../../src/server/web/web-files.ts';
import { webRoutes } from '../../src/server/web/web-routes.ts';
import { ServerWorld } from './server-world.ts';

const SCRIPT = `${'console.log(1);\n'.repeat(100)}`;

function builtPages(): WebFiles {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-pages-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Holdfast</title>');
  writeFileSync(join(directory, 'assets/index-abc.js'), SCRIPT);
  writeFileSync(join(directory, 'assets/index-abc.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(directory, 'secret.txt'), 'secret');
  return WebFiles.open(directory)!;
}

const served = (auth: 'none' | 'token' = 'token') =>
  ServerWorld.create({ auth, routes: [webRoutes(builtPages())] });

describe('the pages of the server', () => {
  test('every page is the same file, without a token, looked for anew each time', async () => {
    const world = await served();
    for (const path of Object.values(PAGE_PATHS)) {
      const answer = await world.ask({ url: path.replaceAll(/\{\w+\}/g, '7') });
      expect([path, answer.statusCode, answer.headers['content-type']]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(answer.body).toContain('<title>Holdfast</title>');
      expect(answer.headers['cache-control']).toBe('no-cache');
    }
    const { headers } = await world.ask({ url: '/' });
    const again = await world.ask({ url: '/', headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('nothing inline, nothing from elsewhere and no frame is allowed in them', async () => {
    const world = await served();
    const policy = String((await world.ask({ url: '/' })).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
  });

  test('assets are kept for ever by browsers, and compressed for those that can read it', async () => {
    const world = await served();
    const plain = await world.ask({ url: '/assets/index-abc.js' });
    expect([plain.body, plain.headers['content-encoding']]).toEqual([SCRIPT, undefined]);
    expect(plain.headers['cache-control']).toContain('immutable');
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const packed = await world.ask({
      url: '/assets/index-abc.js',
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(SCRIPT);
  });

  test.each([
    '/assets/..%2fsecret.txt',
    '/assets/../secret.txt',
    '/assets/%2e%2e%2fsecret.txt',
    '/assets/..%5csecret.txt',
    '/assets/....%2f%2fsecret.txt',
    '/assets/index-abc.js.gz',
    '/assets/nothing.js',
    '/assets/',
    '/assets//etc/passwd',
    '/assets/%00',
    '/secret.txt',
  ])('%s is answered with the error of any unknown path', async (url) => {
    const world = await served('none');
    const answer = await world.ask({ url });
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'NO_ENDPOINT']);
    expect(answer.body).not.toContain('root:');
  });

  test('a name of another host is refused for pages too', async () => {
    const world = await served('none');
    const answer = await world.ask({ url: '/', headers: { host: 'evil.example' } });
    expect(answer.statusCode).toBe(403);
  });

  test('paths of the API are what they were, and its description has no pages', async () => {
    const world = await served('none');
    expect((await world.ask({ url: '/api/v1/workflows' })).json()).toEqual({ items: [], next: null });
    expect(Object.keys((await world.ask({ url: '/api/v1/openapi.json' })).json().paths)).not.toContain('/');
    const other = await world.ask({ url: '/workflows/7/nothing' });
    expect([other.statusCode, other.json().error.code]).toEqual([404, 'NO_ENDPOINT']);
  });

  test('a copy that was built without pages answers 404 there, and everything else', async () => {
    const world = await ServerWorld.create({ auth: 'none', routes: [webRoutes(null)] });
    expect((await world.ask({ url: '/' })).statusCode).toBe(404);
    expect((await world.ask({ url: '/healthz' })).statusCode).toBe(200);
  });
});
