import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { WORKER_SECRET } from '../../src/contract/request-headers.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { createServer } from '../../src/server/create-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { IDENTITY } from './server-world.ts';

const OPTIONS = { host: '127.0.0.1', port: 0, auth: 'none', version: '0' } as const;

async function newEngine(): Promise<ServedEngine> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-stop-'));
  const engine = await openEngine({ dir, create: true });
  onTestFinished(async () => {
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return engine;
}

/** Resolves once the engine has been asked for it, and lets it continue only when the test says so. */
function held<K extends 'listWorkflows' | 'findNews'>(engine: ServedEngine, method: K) {
  let goOn = () => {};
  let asked = () => {};
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const held = new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target);
      return async (...args: unknown[]) => {
        asked();
        await released;
        return value.apply(target, args);
      };
    },
  });
  return { engine: held, wasAsked, goOn: () => goOn() };
}

test('what is being answered is answered, what waits is let go, and then nobody is answered', async () => {
  const { engine, wasAsked, goOn } = held(await newEngine(), 'listWorkflows');
  const worker = await engine.registerWorker(IDENTITY);
  const server = await startServer(engine, OPTIONS);
  const slow = fetch(`${server.url}/api/v1/workflows`);
  const { version } = (await (await fetch(`${server.url}/api/v1/changes`)).json()) as { version: string };
  const news = fetch(`${server.url}/api/v1/workers/${worker.id}/news?timeout_ms=60000`, {
    headers: { [WORKER_SECRET]: worker.secret },
  });
  const changes = fetch(`${server.url}/api/v1/changes?since=${version}&timeout_ms=60000`);
  await wasAsked;
  // Both have reached the server: it answers on one connection after the other.
  await fetch(`${server.url}/healthz`);
  const stopped = server.stop();
  expect(await (await news).json()).toEqual({ news: false });
  expect(await (await changes).json()).toMatchObject({ changed: false });
  goOn();
  expect((await slow).status).toBe(200);
  await stopped;
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

test('a server that leaves says so first, and refuses what is new while it winds down', async () => {
  const engine = await newEngine();
  const server = createServer(engine, OPTIONS);
  onTestFinished(() => server.app.close());
  const ask = async (url: string) => {
    const answer = await server.app.inject({ url, headers: { host: 'localhost' } });
    return [answer.statusCode, answer.json().error?.code];
  };
  expect(await ask('/readyz')).toEqual([200, undefined]);
  server.leave();
  expect(await ask('/readyz')).toEqual([503, 'SHUTTING_DOWN']);
  expect(await ask('/api/v1/workflows')).toEqual([200, undefined]);
  server.windDown();
  expect(await ask('/api/v1/workflows')).toEqual([503, 'SHUTTING_DOWN']);
  expect(await ask('/healthz')).toEqual([200, undefined]);
});

test('connections on which nothing was asked do not keep it', async () => {
  const server = await startServer(await newEngine(), OPTIONS);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // Something is asked on another one, so that this one has certainly arrived.
  await fetch(`${server.url}/healthz`);
  await server.stop();
  await closed;
});

test('it is not ready while its store does not answer', async () => {
  const engine = await newEngine();
  const server = createServer(
    new Proxy(engine, {
      get: (target, name) =>
        name === 'ping'
          ? () => Promise.reject(new Error('gone'))
          : (Reflect.get(target, name) as () => unknown).bind(target),
    }),
    OPTIONS,
  );
  onTestFinished(() => server.app.close());
  const answer = await server.app.inject({ url: '/readyz', headers: { host: 'localhost' } });
  expect(answer.statusCode).toBeGreaterThanOrEqual(500);
});
