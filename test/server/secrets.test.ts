import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { crashedPost } from '../../src/core/job/post-result.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { sentFiles } from '../../src/spec/spec-files.ts';
import { NO_REPORTS, PLENTY, ServerWorld } from './server-world.ts';

const SECRET = 'open-sesame-4711';
const SPEC = {
  name: 'secretive',
  use_pending_failed: true,
  order: 'graph',
  steps: {
    talker: { exec: 'echo "$API_TOKEN"', env: { API_TOKEN: SECRET, PIN_TOKEN: '12', PLACE: 'lab' } },
    // Its password is the secret too: the name of the variable says nothing.
    loser: { exec: 'exit 1', env: { DATABASE_URL: `postgres://ada:${SECRET}@db/x` } },
  },
};

/** A workflow whose jobs printed their secret in every way that there is. */
async function spilled() {
  const world = await ServerWorld.create();
  const id = await world.submit(SPEC);
  const { worker, claims } = await world.claimAll();
  const claim = (name: string) => claims.find(({ job_name }) => job_name === name)!;
  await world.finish(worker, claim('talker'), { exit_code: 0 }, { said: `it is ${SECRET}` });
  await world.finish(worker, claim('loser'), { spawn_error: `cannot start with ${SECRET}` });
  await world.engine.addEvent(id, {
    type: 'note',
    actor: 'x',
    reason: `saw ${SECRET}`,
    data: { [SECRET]: [SECRET] },
  });
  const text = `before ${SECRET} after\n`;
  await world.engine.putLogs(worker, [
    { token: claim('talker').token, stream: 'stdout', offset: 0, data: Buffer.from(text.repeat(3)) },
  ]);
  return { world, id, worker, claims, text };
}

describe('the secrets of jobs', () => {
  test('are in no answer but those to workers', async () => {
    const { world, id } = await spilled();
    const below = `/api/v1/workflows/${id}`;
    const job = (await world.engine.getJob(id, 'loser')).id;
    const urls = [
      below,
      `${below}/status`,
      `${below}/jobs`,
      `${below}/jobs/talker`,
      `${below}/jobs/talker/explain`,
      `${below}/jobs/loser/explain`,
      `${below}/attempts`,
      `${below}/events`,
      `${below}/failures`,
      `${below}/utilization`,
      `${below}/jobs/talker/logs/stdout`,
      `${below}/jobs/talker/logs/stdout?offset=3&limit=20`,
      `/api/v1/jobs/${job}`,
      '/api/v1/jobs',
      '/jobs',
      '/api/v1/decisions',
      '/metrics',
    ];
    for (const url of urls) {
      const answer = await world.ask({ url });
      expect([url, answer.statusCode]).toEqual([url, 200]);
      expect([url, answer.body.includes(SECRET)]).toEqual([url, false]);
    }
    const stream = await world.ask({ url: `${below}/events/stream` }, { isEndless: true });
    expect(await readUntil(stream.stream(), 'note')).not.toContain(SECRET);
    expect(world.lines.join('')).not.toContain(SECRET);
  });

  test('are masked also if a client asked for the workflow before it was there', async () => {
    const world = await ServerWorld.create();
    const log = '/api/v1/workflows/1/jobs/talker/logs/stdout';
    expect((await world.ask({ url: log })).statusCode).toBe(404);
    expect(await world.submit(SPEC)).toBe(1);
    const { worker, claims } = await world.claimAll();
    const claim = claims.find(({ job_name }) => job_name === 'talker')!;
    const data = Buffer.from(SECRET);
    await world.engine.putLogs(worker, [{ token: claim.token, stream: 'stdout', offset: 0, data }]);
    await world.finish(worker, claim, { exit_code: 0 });
    expect((await world.ask({ url: log })).body).toBe('*'.repeat(SECRET.length));
  });

  test('are masked by name in the environment, and nothing else is', async () => {
    const { world, id } = await spilled();
    const answer = await world.ask({ url: `/api/v1/workflows/${id}/jobs/talker` });
    expect(answer.json().config.env).toEqual({ API_TOKEN: '***', PIN_TOKEN: '***', PLACE: 'lab' });
    const attempts = await world.ask({ url: `/api/v1/workflows/${id}/attempts?job=talker` });
    expect(attempts.json().items[0].output).toEqual({ said: 'it is ***' });
  });

  test('are given to the worker that runs the job', async () => {
    const world = await ServerWorld.create();
    await world.submit(SPEC);
    const worker = await world.claimAll();
    expect(worker.claims.map(({ config }) => config.env.API_TOKEN)).toEqual([SECRET, undefined]);
    const url = `/api/v1/workers/${worker.worker}/exchange`;
    const lost = {
      token: worker.claims[0]!.token,
      started_at_ms: null,
      finished_at_ms: Date.now(),
      outcome: outcome({ lost: true }),
      usage: null,
    };
    const body = { ...NO_REPORTS, finished: [lost], capacity: PLENTY };
    const answer = await world.ask({ method: 'POST', url, body, worker: worker.worker });
    expect(answer.json().claims[0].config.env.API_TOKEN).toBe(SECRET);
  });

  test('are masked in logs byte for byte, wherever one begins to read', async () => {
    const { world, id, text } = await spilled();
    const masked = text.replace(SECRET, '*'.repeat(SECRET.length)).repeat(3);
    const url = `/api/v1/workflows/${id}/jobs/talker/logs/stdout`;
    expect((await world.ask({ url })).body).toBe(masked);
    for (let from = 0; from < masked.length; from += 1) {
      const range = await world.ask({ url, headers: { range: `bytes=${from}-${from + 4}` } });
      expect(range.body).toBe(masked.slice(from, from + 5));
      const piece = await world.ask({ url: `${url}?offset=${from - masked.length}&limit=7` });
      expect(piece.body).toBe(masked.slice(from, from + 7));
    }
  });

  test('are masked also where the beginning of the log, and of one of them, is not kept', async () => {
    const world = await ServerWorld.create();
    const id = await world.submit(SPEC);
    const { worker, claims } = await world.claimAll();
    const claim = claims.find(({ job_name }) => job_name === 'talker')!;
    const data = Buffer.from(`${SECRET.slice(5)} after`);
    await world.engine.putLogs(worker, [{ token: claim.token, stream: 'stdout', offset: 1000, data }]);
    await world.finish(worker, claim, { exit_code: 0 });
    const { body } = await world.ask({ url: `/api/v1/workflows/${id}/jobs/talker/logs/stdout` });
    expect(body).toBe(`${'*'.repeat(SECRET.length - 5)} after`);
  });

  test('are masked in the errors of a request', async () => {
    const world = await ServerWorld.create();
    const spec = {
      kind: 'request',
      name: 'secretive',
      work: { range: { total: 1, first: 1, per_job: 1 } },
      jobs_per_unit: 1,
      round: { first_units: 1, units: 1 },
      process: { command: 'exit 42', retry: 0, env: { API_TOKEN: SECRET } },
    };
    const loaded = loadRequest(JSON.stringify(spec), 'r.json', sentFiles({ texts: {}, lists: {} }));
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    const { model, items } = loaded;
    const place = { cwd: world.dir, output_dir: 'output', actor: 'test', shared: true };
    await world.engine.createRequest({ model, items, ...place });
    while (await world.engine.tendRequests({ most_active: 1 }));
    const { worker, claims } = await world.claimAll();
    const { errands } = await world.finish(worker, claims[0]!, { exit_code: 42 });
    const post = { ...crashedPost(''), exit_code: 42, problem: null, log_tail: `before ${SECRET} after` };
    await world.engine.exchange(worker, {
      ...NO_REPORTS,
      errands: errands.map(({ id }) => ({ kind: 'post', id, post })),
      capacity: null,
    });
    const answer = await world.ask({ url: '/api/v1/requests/secretive/errors' });
    expect(answer.json().groups).toMatchObject([{ log_tail: 'before *** after' }]);
    expect(answer.body).not.toContain(SECRET);
  });

  test('are held back in a log that grows until it is clear what they are', async () => {
    const world = await ServerWorld.create();
    const id = await world.submit(SPEC);
    const { worker, claims } = await world.claimAll();
    const { token } = claims.find(({ job_name }) => job_name === 'talker')!;
    await world.engine.exchange(worker, {
      ...NO_REPORTS,
      started: [{ token, started_at_ms: Date.now() }],
      capacity: null,
    });
    const put = (offset: number, text: string) =>
      world.engine.putLogs(worker, [{ token, stream: 'stdout', offset, data: Buffer.from(text) }]);
    const read = async (offset: number) =>
      (await world.ask({ url: `/api/v1/workflows/${id}/jobs/talker/logs/stdout?live=true&offset=${offset}` }))
        .body;
    await put(0, `it is ${SECRET.slice(0, 9)}`);
    expect(await read(0)).toBe('it is ');
    await put(0, `it is ${SECRET} now`);
    expect(await read(6)).toBe(`${'*'.repeat(SECRET.length)} now`);
  });
});

async function readUntil(stream: NodeJS.ReadableStream, word: string): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes(word)) break;
  }
  return text;
}
