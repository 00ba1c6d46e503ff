import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { CASES } from './endpoint-cases.ts';
import { Scene } from './scene.ts';

describe('the log of the server', () => {
  test('never has a token, whatever is done with it', async () => {
    const scene = await Scene.create();
    const { world } = scene;
    const { admin } = world.tokens;
    for (const [id] of ENDPOINTS) {
      if (id === 'streamEvents' || id === 'revokeToken') continue;
      await world.ask({ ...(await CASES[id].works(scene)), token: admin });
    }
    const places = [
      { url: `/api/v1/workflows?token=${admin}` },
      { url: `/${admin}` },
      { url: `/api/v1/workflows/1/jobs/${admin}` },
      { url: '/api/v1/whoami', headers: { authorization: admin } },
      { url: '/api/v1/whoami', headers: { authorization: `Basic ${admin}` } },
      { url: '/api/v1/whoami', headers: { cookie: `holdfast_token=${admin}`, 'user-agent': admin } },
      { url: '/api/v1/whoami', headers: { host: admin } },
      { url: '/api/v1/whoami', headers: { origin: `http://${admin}` } },
      { method: 'POST', url: '/api/v1/login', body: { token: admin, more: admin } },
      { method: 'POST', url: '/api/v1/tokens', body: { name: admin, role: 'admin', expires_at_ms: null } },
    ];
    for (const place of places) await world.ask({ token: admin, ...place });
    // Even an error that nobody thought of, with the token in its text.
    world.server.app.log.error({ err: new Error(`failed for ${admin}`), admin }, `with ${admin}`);
    expect(world.lines.length).toBeGreaterThan(50);
    const log = world.lines.join('');
    for (const token of Object.values(world.tokens)) expect(log).not.toContain(token);
    expect(log).not.toMatch(/hf_[\w-]{8,}/);
  });

  test('has of each request its number, who asked, and what it was about', async () => {
    const scene = await Scene.create();
    const { world } = scene;
    const answer = await world.ask({ url: scene.url('/jobs/done'), token: world.tokens.viewer });
    const line = JSON.parse(world.lines.at(-1)!) as Record<string, unknown>;
    expect(line).toMatchObject({
      reqId: answer.headers['x-request-id'],
      caller: 'a-viewer',
      workflow_id: String(scene.workflow),
      job: 'done',
      method: 'GET',
      route: '/api/v1/workflows/:workflow_id/jobs/:job',
      status: 200,
    });
  });

  test('has the reason why a request failed that the server itself could not answer', async () => {
    const { world } = await Scene.create();
    const full = new HoldfastError('STORE_FAILED', { problem: 'database or disk is full' });
    world.engine.listWorkflows = () => Promise.reject(full);
    const answer = await world.ask({ url: '/api/v1/workflows', token: world.tokens.viewer });
    expect(answer.statusCode).toBe(500);
    const line = world.lines.map((each) => JSON.parse(each)).find(({ msg }) => msg === 'cannot answer');
    expect(line).toMatchObject({
      level: 40,
      reqId: answer.headers['x-request-id'],
      code: 'STORE_FAILED',
      problem: 'the state could not be saved: database or disk is full',
    });
  });

  test('and the metrics are there while the database is not', async () => {
    const { world } = await Scene.create();
    world.engine.listWorkers = () => Promise.reject(new HoldfastError('DATABASE_UNREACHABLE'));
    const metrics = await world.ask({ url: '/metrics', token: world.tokens.viewer });
    expect([metrics.statusCode, metrics.body]).toEqual([
      200,
      expect.stringContaining('holdfast_event_streams 0'),
    ]);
    expect(metrics.body).not.toContain('holdfast_workers{');
  });

  test('has of an exchange which attempts were handed out and ended', async () => {
    const scene = await Scene.create();
    const { world, claims, worker } = scene;
    const { token } = claims.running!;
    const body = {
      started: [],
      finished: [
        {
          token,
          started_at_ms: Date.now(),
          finished_at_ms: Date.now(),
          outcome: { ...(await succeeded(world)) },
          usage: null,
        },
      ],
      errands: [],
      capacity: { cpus: 8, memory_bytes: 1e9, gpus: 0, slots: 8, default_cpus: 1 },
    };
    const url = `/api/v1/workers/${worker}/exchange`;
    await world.ask({ method: 'POST', url, body, token: world.tokens.worker, worker });
    const line = world.lines.map((each) => JSON.parse(each)).find(({ msg }) => msg === 'exchanged');
    expect(line).toMatchObject({
      worker_id: worker,
      finished: [token],
      claims: [{ workflow_id: scene.workflow, job_id: scene.jobs.blocked!.id, attempt_id: 1 }],
    });
    const metrics = (await world.ask({ url: '/metrics', token: world.tokens.viewer })).body;
    expect(metrics).toContain('holdfast_claims_total{kind="first"} 1');
    expect(metrics).toContain('holdfast_attempts_finished_total{cause="success"} 1');
    expect(metrics).toContain('holdfast_workers{state="active"} 1');
    expect(metrics).toMatch(/holdfast_http_request_duration_seconds_count\{.*exchange.*\} 1/);
  });
});

async function succeeded(world: Scene['world']): Promise<object> {
  const { items } = await world.engine.listAttempts(1);
  return items.find(({ job_name }) => job_name === 'done')!.outcome!;
}
