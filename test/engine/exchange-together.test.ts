import { expect, onTestFinished, test, vi } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { crashedPost } from '../../src/core/job/post-result.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ordersOf, PLENTY } from './engine-world.ts';
import { RETRY, Served } from './served-world.ts';
import type { SimpleJob } from './simple-model.ts';

function workers(served: Served, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => served.worker()));
}

function many(count: number, job: Partial<SimpleJob> = {}): SimpleJob[] {
  return Array.from({ length: count }, (_, index) => ({ name: `job_${index}`, ...job }));
}

/** All of them ask at the same moment. */
async function claimAtOnce(served: Served, ids: number[], slots: number) {
  const capacity = { ...PLENTY, slots };
  const results = await Promise.all(ids.map((id) => served.exchange(id, { capacity })));
  return results.map(({ claims }) => claims);
}

test('workers that ask at the same moment are given different jobs, in order, as many as they have room for', async () => {
  const served = new Served();
  await served.submit(many(20, { priority: 1 }));
  await served.submit([{ name: 'other' }]);
  const ids = await workers(served, 4);
  const claims = await claimAtOnce(served, ids, 6);
  expect(claims.map(({ length }) => length)).toEqual([6, 6, 6, 3]);
  const names = claims.flat().map(({ job_name }) => job_name);
  expect(names).toEqual([...many(20).map(({ name }) => name), 'other']);
  const tokens = claims.flat().map(({ token }) => token);
  expect(new Set(tokens).size).toBe(21);
  const { items } = await served.engine.listAttempts(1, { limit: 100 });
  for (const { job_name, worker_id } of items) {
    expect(claims[ids.indexOf(worker_id)]!.map((claim) => claim.job_name)).toContain(job_name);
  }
});

test.each([
  ['max_parallel', { maxParallel: 3 }, {}],
  ['a named limit', { limits: { licence: 3 } }, { resources: { licence: 1 } }],
])('%s holds for all that ask at the same moment', async (_, options, job) => {
  const served = new Served();
  await served.submit(many(20, job), options);
  const claims = await claimAtOnce(served, await workers(served, 4), 2);
  expect(claims.map(({ length }) => length)).toEqual([2, 1, 0, 0]);
});

test('workers that ask at the same moment share one transaction, also on SQLite', async () => {
  const served = new Served();
  await served.submit(many(8));
  const ids = await workers(served, 4);
  const write = vi.spyOn(SqliteStore.prototype, 'write');
  onTestFinished(() => write.mockRestore());
  const claims = await claimAtOnce(served, ids, 2);
  expect(claims.flat()).toHaveLength(8);
  expect(write).toHaveBeenCalledTimes(1);
});

test('workers that report many ends at the same moment share transactions of at most 160 on SQLite, for readers to wait less', async () => {
  const served = new Served();
  await served.submit(many(480));
  const ids = await workers(served, 12);
  const claims = await claimAtOnce(served, ids, 20);
  const write = vi.spyOn(SqliteStore.prototype, 'write');
  onTestFinished(() => write.mockRestore());
  const facts = { started_at_ms: 0, finished_at_ms: 1, outcome: outcome({ exit_code: 0 }), usage: null };
  const results = await Promise.all(
    ids.map((id, index) =>
      served.exchange(id, {
        finished: claims[index]!.map(({ token }) => ({ token, ...facts })),
        capacity: { ...PLENTY, slots: 20 },
      }),
    ),
  );
  expect(results.map((result) => [result.rejected.length, result.claims.length])).toEqual(
    Array(12).fill([0, 20]),
  );
  expect(write).toHaveBeenCalledTimes(2);
});

test('what one is refused for does not touch the others', async () => {
  const served = new Served();
  await served.submit(many(3));
  const [first, retired, third] = await workers(served, 3);
  await served.engine.retireWorker(retired!);
  const asked = [first!, retired!, 999, third!].map((id) =>
    served.exchange(id, { capacity: { ...PLENTY, slots: 1 } }),
  );
  const [one, two, nobody, other] = await Promise.allSettled(asked);
  expect(one).toMatchObject({ value: { claims: [{ job_name: 'job_0' }] } });
  expect(two).toMatchObject({ reason: { code: 'WORKER_RETIRED' } });
  expect(nobody).toMatchObject({ reason: { code: 'WORKER_NOT_FOUND' } });
  expect(other).toMatchObject({ value: { claims: [{ job_name: 'job_1' }] } });
});

test('one that is sent several times at the same moment is made once', async () => {
  const served = new Served();
  await served.submit(many(3));
  const [first, second] = await workers(served, 2);
  const request = served.next(second!, { capacity: { ...PLENTY, slots: 2 } });
  const [, ...answers] = await Promise.all([
    served.exchange(first!),
    ...[1, 2, 3].map(() => served.engine.exchange(second!, request)),
  ]);
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]!.claims).toHaveLength(2);
  expect((await served.engine.listAttempts(1)).items).toHaveLength(2);
});

test('a retry is not given to the worker that failed while another asks', async () => {
  const served = new Served();
  await served.submit([{ name: 'flaky', retry: RETRY }, ...many(4)]);
  const [idle, failed, other] = await workers(served, 3);
  const [claim] = (await served.exchange(failed!, { capacity: { ...PLENTY, slots: 1 } })).claims;
  await served.end(failed!, claim!, { exit_code: 1 });
  const claims = await claimAtOnce(served, [idle!, failed!, other!], 0);
  expect(claims.flat()).toEqual([]);
  const [, shunned, welcome] = await Promise.all([
    served.exchange(idle!),
    ...[failed!, other!].map((id) => served.exchange(id, { capacity: { ...PLENTY, slots: 2 } })),
  ]);
  expect(shunned!.claims.map(({ job_name }) => job_name)).toEqual(['job_0', 'job_1']);
  expect(welcome!.claims.map(({ job_name }) => job_name)).toEqual(['flaky', 'job_2']);
});

test('reports are decided before anybody claims, and each by what the others have changed', async () => {
  const served = new Served();
  await served.submit([
    { name: 'a', post: 'judge' },
    { name: 'b', retry: RETRY },
    { name: 'c' },
    { name: 'd', after: ['c'] },
  ]);
  const [idle, ...hands] = await workers(served, 4);
  const claims = await claimAtOnce(served, hands, 1);
  const report = (index: number, exitCode: number) => ({
    token: claims[index]![0]!.token,
    started_at_ms: served.now,
    finished_at_ms: served.now,
    outcome: outcome({ exit_code: exitCode }),
    usage: null,
  });
  const asked = await served.exchange(hands[0]!, { finished: [report(0, 1)] });
  const [order] = ordersOf(asked, 'post');
  const post = { ...crashedPost(''), exit_code: 43, problem: null };
  const abort = { kind: 'post' as const, id: order!.id, post };
  const results = await Promise.all([
    served.exchange(idle!),
    served.exchange(hands[0]!, { errands: [abort], capacity: PLENTY }),
    served.exchange(hands[1]!, { finished: [report(1, 1)], capacity: PLENTY }),
    served.exchange(hands[2]!, { finished: [report(2, 0)], capacity: PLENTY }),
  ]);
  expect(results.flatMap((result) => result.claims)).toEqual([]);
  const jobs = (await served.engine.listJobs(1)).items;
  expect(jobs.map(({ status }) => status)).toEqual(['failed', 'canceled', 'completed', 'canceled']);
});

test('of actions, each runs once, and those about workers once on each that has a job of the run', async () => {
  const served = new Served();
  const actions = (['on_workflow_start', 'on_worker_start'] as const).map((trigger) => {
    return { trigger, persistent: trigger === 'on_worker_start', commands: ['true'], jobs: [] };
  });
  await served.submit(many(2), { actions });
  const ids = await workers(served, 3);
  const capacity = { ...PLENTY, slots: 1 };
  const results = await Promise.all(ids.map((id) => served.exchange(id, { capacity })));
  expect(results.map((result) => ordersOf(result, 'action').map(({ trigger }) => trigger))).toEqual([
    ['on_workflow_start', 'on_worker_start'],
    ['on_worker_start'],
    [],
  ]);
});
