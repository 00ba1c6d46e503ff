import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRange } from '../../src/server/requests/byte-range.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { workersToNotify } from '../engine/found-news.ts';
import { IDENTITY, NO_REPORTS, PLENTY, ServerWorld } from './server-world.ts';

const SPEC = { name: 'w', jobs: [{ name: 'a', command: 'true' }] };

/** A workflow whose one job is being run. */
async function running() {
  const world = await ServerWorld.create();
  const id = await world.submit(SPEC);
  const { worker, claims } = await world.claimAll();
  const [claim] = claims;
  const token = claim!.token;
  await world.engine.exchange(worker, {
    ...NO_REPORTS,
    started: [{ token, started_at_ms: Date.now() }],
    capacity: null,
  });
  const put = (offset: number, data: string | Buffer) =>
    world.engine.putLogs(worker, [{ token, stream: 'stdout', offset, data: Buffer.from(data) }]);
  const url = `/api/v1/workflows/${id}/jobs/a/logs/stdout`;
  const end = () => world.finish(worker, claim!, { exit_code: 0 });
  return { world, id, url, put, end };
}

/** A workflow of this machine, whose logs are in its own files. */
async function ranHere(world: ServerWorld): Promise<number> {
  const loaded = loadSpec(JSON.stringify(SPEC), 'w.json');
  if (!loaded.ok) throw new Error('bad spec');
  const output_dir = join(world.dir, 'output');
  const { id } = await world.engine.createWorkflow({
    model: loaded.model,
    cwd: world.dir,
    output_dir,
    actor: 't',
  });
  const worker = await world.engine.registerWorker({ ...IDENTITY, kind: 'run' });
  await world.engine.adopt(id, worker.id);
  const taken = await world.engine.exchange(worker.id, { ...NO_REPORTS, capacity: PLENTY, workflow_id: id });
  await world.finish(worker.id, taken.claims[0]!, { exit_code: 0 });
  return id;
}

describe('the log of an attempt', () => {
  test('comes whole, with its facts in headers', async () => {
    const { world, url, put, end } = await running();
    await put(0, '0123456789');
    await end();
    const answer = await world.ask({ url });
    expect([answer.statusCode, answer.body]).toEqual([200, '0123456789']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'holdfast-run-id': '1',
      'holdfast-attempt-id': '1',
      'holdfast-log-offset': '0',
      'holdfast-log-size': '10',
      'holdfast-log-ended': 'true',
    });
  });

  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
    ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['bytes=5-2', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('in the range %s is answered with %i', async (range, status, body, contentRange) => {
    const { world, url, put, end } = await running();
    await put(0, '0123456789');
    await end();
    const answer = await world.ask({ url, headers: { range } });
    expect([answer.statusCode, answer.body, answer.headers['content-range']]).toEqual([
      status,
      body,
      contentRange,
    ]);
  });

  test('of which the beginning is not kept begins where it is kept', async () => {
    const { world, url, put, end } = await running();
    await put(1000, 'the end');
    await end();
    const answer = await world.ask({ url, headers: { range: 'bytes=0-' } });
    expect([answer.statusCode, answer.body]).toEqual([206, 'the end']);
    expect(answer.headers['content-range']).toBe('bytes 1000-1006/1007');
    expect(answer.headers['holdfast-log-offset']).toBe('1000');
    expect((await world.ask({ url, headers: { range: 'bytes=0-99' } })).statusCode).toBe(416);
  });

  test('is followed until the attempt has ended', async () => {
    const { world, url, put, end } = await running();
    await put(0, 'one ');
    const answer = await world.ask({ url: `${url}?follow=true` }, { isEndless: true });
    let text = '';
    const steps: [string, () => Promise<unknown>][] = [
      ['one ', () => put(4, 'two ')],
      ['one two ', () => put(8, 'three')],
      ['one two three', end],
    ];
    for await (const chunk of answer.stream()) {
      text += String(chunk);
      if (text === steps[0]?.[0]) await steps.shift()![1]();
    }
    expect([text, steps]).toEqual(['one two three', []]);
  });

  test('has its worker asked for what is new while a client reads', async () => {
    const { world, url, put } = await running();
    await put(0, 'one');
    expect(await workersToNotify(world.engine)).toEqual([]);
    await world.ask({ url: `${url}?live=true&offset=3` });
    expect(await workersToNotify(world.engine)).toEqual([1]);
  });

  test('larger than a piece comes in pieces, and not one byte is different', async () => {
    const world = await ServerWorld.create();
    const id = await ranHere(world);
    const url = `/api/v1/workflows/${id}/jobs/a/logs/stdout`;
    const { stdout_path } = (await world.engine.listAttempts(id)).items[0]!;
    const data = Buffer.alloc(3 * 1024 * 1024 + 17, 'abcdefghijklm\n');
    mkdirSync(dirname(stdout_path), { recursive: true });
    writeFileSync(stdout_path, data);
    const answer = await world.ask({ url });
    expect(answer.rawPayload.equals(data)).toBe(true);
    const range = await world.ask({ url, headers: { range: `bytes=5-${2 * 1024 * 1024}` } });
    expect(range.rawPayload.equals(data.subarray(5, 2 * 1024 * 1024 + 1))).toBe(true);
  });
});

test('a range is read as RFC 9110 has it', () => {
  expect(readRange('bytes=0-0')).toEqual({ from: 0, to: 0 });
  expect(readRange('bytes=-0')).toBeNull();
  expect(readRange('bytes=-')).toBeNull();
  expect(readRange(undefined)).toBeNull();
});
