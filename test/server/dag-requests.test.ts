import { describe, expect, test } from 'vitest';
import { FakeDagman } from '../engine/fake-dagman.ts';
import { ServerWorld } from './server-world.ts';

const SPEC = `kind: request
name: sim
executor: htcondor
work: { range: { total: 2, per_job: 1 } }
process: { command: "true" }
`;
const submission = { method: 'POST', url: '/api/v1/requests', body: { spec: SPEC } };

test('a server without HTCondor refuses a request for DAGMan, and nothing is stored', async () => {
  const world = await ServerWorld.create();
  const answer = await world.ask(submission);
  expect(answer.statusCode).toBe(422);
  expect(answer.body).toContain('body.spec.executor');
  expect(answer.body).toContain('condor_submit_dag');
  expect((await world.engine.listRequests({})).items).toEqual([]);
});

test('a server with HTCondor takes it', async () => {
  const world = await ServerWorld.create({ runs: new FakeDagman(Date.now).driver() });
  const answer = await world.ask(submission);
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toMatchObject({ request_name: 'sim', executor: 'htcondor' });
});

test('what DAGMan cannot do is refused with its place, and nothing is stored', async () => {
  const world = await ServerWorld.create({ runs: new FakeDagman(Date.now).driver() });
  const spec = `${SPEC}post: { command: "./judge" }\n`;
  const answer = await world.ask({ ...submission, body: { spec } });
  expect(answer.statusCode).toBe(422);
  expect(answer.json().error).toMatchObject({
    code: 'INVALID_SPEC',
    fields: [{ path: 'body.spec.post', message: expect.stringContaining('DAGMan cannot do this') }],
  });
  expect((await world.engine.listRequests({})).items).toEqual([]);
});

describe('a workflow with the executor htcondor', () => {
  const post = (spec: string) => ({
    method: 'POST',
    url: '/api/v1/workflows',
    body: { spec, executor: 'htcondor' },
  });

  test('is refused by a server without HTCondor', async () => {
    const world = await ServerWorld.create();
    const answer = await world.ask(post('jobs: [{ name: a, command: "true" }]'));
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.fields).toMatchObject([{ path: 'body.executor' }]);
  });

  test('is taken where DAGMan can run it, and otherwise refused with places, storing nothing', async () => {
    const world = await ServerWorld.create({ runs: new FakeDagman(Date.now).driver() });
    const spec = 'use_pending_failed: true\njobs: [{ name: a, command: "true", labels: [x] }]';
    const refused = await world.ask(post(spec));
    expect(refused.statusCode).toBe(422);
    expect(refused.json().error.fields).toMatchObject([
      { path: 'body.spec.use_pending_failed', message: expect.stringContaining('wait for a decision') },
      { path: 'body.spec.jobs[0].labels' },
    ]);
    expect((await world.engine.listWorkflows({})).items).toEqual([]);
    const taken = await world.ask(post('jobs: [{ name: a, command: "true" }]'));
    expect(taken.statusCode).toBe(201);
    expect(taken.json()).toMatchObject({ executor: 'htcondor' });
  });
});
