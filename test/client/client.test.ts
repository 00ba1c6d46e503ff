import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Client, connect, type EventRecord, type JobRequest } from '../../src/index.ts';
import { until } from '../cli/run-cli.ts';
import { type Answer, json, scripted } from './scripted-server.ts';

async function clientOf(...answers: Answer[]) {
  const { url, heard } = await scripted(...answers);
  const client = connect(url);
  onTestFinished(() => client.close());
  return { client, heard };
}

const silent: Answer = () => {};

/** Streams one event, and then nothing more. */
function streaming() {
  const open: ServerResponse[] = [];
  const answer: Answer = (response) => {
    open.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`id: 7\nevent: note\ndata: ${JSON.stringify({ id: 7, type: 'note' })}\n\n`);
  };
  return { open, answer };
}

async function readAll(client: Client, seen: EventRecord[], signal?: AbortSignal): Promise<string> {
  for await (const event of client.events(3, signal && { signal })) seen.push(event);
  return 'ended';
}

describe('a server that does not answer', () => {
  test('is waited for no longer than the timeout says', async () => {
    const { client } = await clientOf(silent);
    await expect(client.wait(5, { timeout: 0.05 })).rejects.toMatchObject({
      code: 'WAIT_TIMEOUT',
      message: 'job 5 has not ended after 0.05 s',
    });
    await expect(client.waitForWorkflow(3, { timeout: 0.05 })).rejects.toMatchObject({
      code: 'WAIT_TIMEOUT',
      message: 'workflow 3 has not ended after 0.05 s',
    });
  });

  test('keeps nobody who stops reading a log', async () => {
    const { client, heard } = await clientOf(silent);
    const stop = new AbortController();
    const reading = (async () => {
      for await (const line of client.logs(5, { signal: stop.signal })) return line;
      return 'ended';
    })();
    await until(() => heard.some(({ url }) => url === '/api/v1/jobs/5'), 'it asks');
    stop.abort();
    expect(await reading).toBe('ended');
  });

  test('keeps nobody who closes the client, and the error says so', async () => {
    const { client, heard } = await clientOf(silent);
    const waiting = expect(client.wait(5)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('the client was closed'),
    });
    await until(() => heard.some(({ url }) => url === '/api/v1/jobs/5'), 'it asks');
    await client.close();
    await waiting;
  });
});

describe('the connection of events', () => {
  test('ends when the client is closed', async () => {
    const { open, answer } = streaming();
    const { client } = await clientOf(answer);
    const seen: EventRecord[] = [];
    const reading = readAll(client, seen);
    await until(() => seen.length === 1, 'an event has come');
    const closed = once(open[0]!, 'close');
    await client.close();
    expect(await reading).toBe('ended');
    await closed;
  });

  test('ends with the signal', async () => {
    const { open, answer } = streaming();
    const { client } = await clientOf(answer);
    const seen: EventRecord[] = [];
    const stop = new AbortController();
    const reading = readAll(client, seen, stop.signal);
    await until(() => seen.length === 1, 'an event has come');
    const closed = once(open[0]!, 'close');
    stop.abort();
    expect(await reading).toBe('ended');
    await closed;
  });

  test('ends when nobody reads any more', async () => {
    const { open, answer } = streaming();
    const { client } = await clientOf(answer);
    for await (const event of client.events(3)) {
      expect(event.id).toBe(7);
      break;
    }
    if (!open[0]!.closed) await once(open[0]!, 'close');
  });

  test('is made again after the last event that came', async () => {
    const { open, answer } = streaming();
    const { client, heard } = await clientOf(answer);
    const seen: EventRecord[] = [];
    const reading = readAll(client, seen);
    await until(() => seen.length === 1, 'an event has come');
    open[0]!.destroy();
    await until(() => open.length === 2, 'it is connected again');
    expect(heard.map(({ url }) => url)).toEqual([
      '/api/v1/workflows/3/events/stream?after=0',
      '/api/v1/workflows/3/events/stream?after=7',
    ]);
    await client.close();
    await reading;
  });

  test('is not what a proxy answers with', async () => {
    const { client } = await clientOf((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sorry</html>'),
    );
    await expect(readAll(client, [])).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('HTTP 200, which is no answer of a Holdfast server'),
    });
  });
});

describe('an address', () => {
  test.each(['localhost:7600', 'ftp://a', 'http://a/?x=1', 'http://a/#x', ' '])('is not %j', (url) => {
    expect(() => connect(url)).toThrow('url: must be an address like http://127.0.0.1:7600');
  });

  test('has no password, and a token nothing that a request cannot carry; neither is shown', () => {
    for (const attempt of [
      () => connect('http://ada:s3cret@127.0.0.1:7600'),
      () => connect('http://127.0.0.1:7600', { token: 'hf_s3\ncret' }),
    ]) {
      expect(attempt).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
      expect(attempt).toThrow(/^(?!.*s3)/s);
    }
  });

  test('may be a URL in any spelling, and a token what a file holds', async () => {
    const { url, heard } = await scripted(json({ items: [], next: null }));
    for (const spelled of [new URL(url), url.replace('http', 'HTTP'), `${url}/`]) {
      const client = connect(spelled, { token: 'hf_a\n' });
      await client.engine.listWorkflows();
      await client.close();
    }
    expect(heard.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer hf_a'));
  });
});

test('a job with a key that nobody knows is refused rather than run without it', async () => {
  const { client, heard } = await clientOf(json({}));
  const job: JobRequest = { name: 'a', command: 'true' };
  for (const [more, argument] of [
    [{ env: { A: '1' } }, 'env'],
    [{ resources: { cpus: 4 } }, 'resources.cpus'],
  ] as const) {
    await expect(client.submit({ ...job, ...more } as JobRequest)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `${argument}: is not known here`,
    });
  }
  expect(heard).toEqual([]);
});
