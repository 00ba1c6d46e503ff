import { expect, test } from 'vitest';
import { exchangeRequest } from '../../src/contract/schemas/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { MOST_SAMPLES } from '../../src/core/job/usage-samples.ts';
import { NO_REPORTS, ServerWorld } from './server-world.ts';

test('the answer to a new workflow has a note for each key without effect', async () => {
  const world = await ServerWorld.create();
  const create = async (body: object) =>
    (await world.ask({ method: 'POST', url: '/api/v1/workflows', body })).json() as { notes: string[] };
  const kdl = 'job "a" {\n    command "true"\n    supports_termination #true\n}\nslurm_defaults qos="high"\n';
  expect((await create({ spec: kdl, file_name: 'flow.kdl' })).notes).toEqual([
    'flow.kdl:3:5: jobs[0].supports_termination: is not used: every job gets a signal, and time to end, before it is killed',
    'flow.kdl:5:1: slurm_defaults: is about Slurm allocations, and there are no `slurm_schedulers`',
  ]);
  expect((await create({ spec: { jobs: [{ name: 'a', command: 'true' }] } })).notes).toEqual([]);
});

test('both streams of a job that writes them to one file are the log that its worker sent', async () => {
  const world = await ServerWorld.create();
  const id = await world.submit({ jobs: [{ name: 'a', command: 'x', stdio: { mode: 'combined' } }] });
  const { worker, claims } = await world.claimAll();
  const { token } = claims[0]!;
  await world.engine.putLogs(worker, [
    { token, stream: 'stdout', offset: 0, data: Buffer.from('all of it') },
  ]);
  for (const stream of ['stdout', 'stderr']) {
    const answer = await world.ask({ url: `/api/v1/workflows/${id}/jobs/a/logs/${stream}` });
    expect(answer.body).toBe('all of it');
  }
});

test('samples are read by the API, and a report has no more than are kept', async () => {
  const world = await ServerWorld.create();
  const id = await world.submit({ jobs: [{ name: 'a', command: 'x' }] });
  const { worker, claims } = await world.claimAll();
  const sample = { at_ms: 250, rss_bytes: 1024, cpu_ms: 3 };
  const report = (samples: object[]) => ({
    token: claims[0]!.token,
    started_at_ms: 1,
    finished_at_ms: 2,
    outcome: outcome({ exit_code: 0 }),
    usage: null,
    samples: samples as (typeof sample)[],
  });
  const exchange = (samples: object[]) => ({ ...NO_REPORTS, finished: [report(samples)], capacity: null });
  await world.engine.exchange(worker, exchange([sample]));
  const url = `/api/v1/workflows/${id}/jobs/a/samples`;
  expect((await world.ask({ url })).json()).toEqual({
    job_id: claims[0]!.job_id,
    run_id: 1,
    attempt_id: 1,
    samples: [sample],
  });
  expect((await world.ask({ url: `${url}?attempt_id=2` })).statusCode).toBe(404);
  const isAccepted = (samples: object[]) => exchangeRequest.safeParse(exchange(samples)).success;
  expect(isAccepted(Array.from({ length: MOST_SAMPLES }, () => sample))).toBe(true);
  expect(isAccepted(Array.from({ length: MOST_SAMPLES + 1 }, () => sample))).toBe(false);
  expect(isAccepted([{ ...sample, rss_bytes: -1 }])).toBe(false);
});
