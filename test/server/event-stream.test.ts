import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { createServer } from '../../src/server/create-server.ts';
import { type RunningServer, startServer } from '../../src/server/start-server.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';

const OPTIONS = { host: '127.0.0.1', port: 0, auth: 'none', version: '0' } as const;

/** A directory with an engine and one workflow. */
async function engineWithWorkflow(): Promise<{ engine: ServedEngine; id: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-stream-'));
  const engine = await openEngine({ dir, create: true });
  onTestFinished(async () => {
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const loaded = loadSpec('name: w\njobs:\n  - {name: a, command: "true"}\n', 'w.yaml');
  if (!loaded.ok) throw new Error('bad spec');
  const { id } = await engine.createWorkflow({
    model: loaded.model,
    cwd: dir,
    output_dir: 'o',
    actor: 't',
    shared: true,
  });
  return { engine, id };
}

const note = (engine: ServedEngine, id: number, n: number) =>
  engine.addEvent(id, { type: 'note', actor: 't', reason: `note ${n}`, data: { n } });

interface Seen {
  id: number;
  n: number | undefined;
}

/** Opens a stream. What it returns reads until an event satisfies, or the stream ends: every event in order. */
async function openEvents(url: string, lastId: number | null) {
  const gone = new AbortController();
  const answer = await fetch(url, {
    signal: gone.signal,
    headers: lastId === null ? {} : { 'last-event-id': String(lastId) },
  });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  return (isLast: (event: Seen) => boolean) => readEvents(answer, gone, isLast);
}

async function readEvents(
  answer: Response,
  gone: AbortController,
  isLast: (event: Seen) => boolean,
): Promise<Seen[]> {
  const events: Seen[] = [];
  let text = '';
  try {
    for await (const chunk of answer.body!) {
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const frame = text.slice(0, end);
        text = text.slice(end + 2);
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined) continue;
        const record = JSON.parse(data) as { id: number; data: { n?: number } };
        expect(/^id: (\d+)$/m.exec(frame)?.[1]).toBe(String(record.id));
        events.push({ id: record.id, n: record.data.n });
        if (isLast(events.at(-1)!)) return events;
      }
    }
    return events;
  } finally {
    gone.abort();
  }
}

test('events arrive as they are written, none twice and none missed, across a restart of the server', async () => {
  const { engine, id } = await engineWithWorkflow();
  const total = 200;
  let server: RunningServer = await startServer(engine, OPTIONS);
  const url = () => `${server.url}/api/v1/workflows/${id}/events/stream`;
  let written = 0;
  const writing = (async () => {
    for (written = 1; written <= total; written += 1) await note(engine, id, written);
  })();
  const seen: Seen[] = [];
  const stops = [40, 90, 150];
  while (seen.at(-1)?.n !== total) {
    const stopAt = stops.shift();
    const reading = (await openEvents(url(), seen.at(-1)?.id ?? null))(({ n }) => n === total);
    // The server goes away in the middle of it, and the stream ends by itself.
    if (stopAt !== undefined) {
      await until(() => written >= stopAt || written > total);
      await server.stop();
    }
    seen.push(...(await reading));
    if (stopAt !== undefined) server = await startServer(engine, OPTIONS);
  }
  await writing;
  await server.stop();
  expect(seen.map(({ n }) => n).filter((n) => n !== undefined)).toEqual(
    Array.from({ length: total }, (_, index) => index + 1),
  );
  expect(seen.map((event) => event.id)).toEqual(
    [...new Set(seen.map((event) => event.id))].sort((a, b) => a - b),
  );
});

test('a stream begins after the event that it is given, and can be of one job alone', async () => {
  const { engine, id } = await engineWithWorkflow();
  const server = await startServer(engine, OPTIONS);
  for (const n of [1, 2, 3]) await note(engine, id, n);
  const { items } = await engine.listEvents(id);
  const second = items.find(({ data }) => data.n === 2)!;
  const stream = `${server.url}/api/v1/workflows/${id}/events/stream`;
  const after = await (await openEvents(`${stream}?after=${second.id}`, null))(({ n }) => n === 3);
  expect(after.map(({ n }) => n)).toEqual([3]);
  const ofJob = (await openEvents(`${stream}?job=a`, null))(() => true);
  await engine.cancel(id, { actor: 't' });
  expect((await ofJob).map(({ n }) => n)).toEqual([undefined]);
  await server.stop();
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test('a stream ends with the server, however much of it is still to come', async () => {
  const { engine, id } = await engineWithWorkflow();
  for (let n = 1; n <= 1000; n += 1) {
    await engine.addEvent(id, { type: 'note', actor: 't', reason: 'x'.repeat(2000), data: { n } });
  }
  const { app, windDown } = createServer(engine, OPTIONS);
  onTestFinished(() => app.close());
  const url = `/api/v1/workflows/${id}/events/stream`;
  const answer = await app.inject({ url, headers: { host: '127.0.0.1' }, payloadAsStream: true });
  windDown();
  let text = '';
  for await (const chunk of answer.stream()) text += String(chunk);
  const events = text.split('\nevent: note').length - 1;
  expect(events).toBeGreaterThan(0);
  expect(events).toBeLessThan(500);
});
