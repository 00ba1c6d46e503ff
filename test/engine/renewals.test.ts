import { expect, onTestFinished, test, vi } from 'vitest';
import { LEASE_MS } from '../../src/core/worker/lease.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { PLENTY } from './engine-world.ts';
import { Served } from './served-world.ts';

const FULL = { ...PLENTY, cpus: 0, slots: 0 };

/** Each has a job of its own, and room for nothing more. */
async function busyWorkers(served: Served, count: number): Promise<number[]> {
  await served.submit(Array.from({ length: count + 1 }, (_, index) => ({ name: `job_${index}` })));
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push(await served.worker());
    const { claims } = await served.exchange(ids[index]!, { capacity: { ...PLENTY, slots: 1 } });
    expect(claims).toHaveLength(1);
  }
  return ids;
}

function countWrites() {
  const write = vi.spyOn(SqliteStore.prototype, 'write');
  onTestFinished(() => write.mockRestore());
  return () => write.mock.calls.length;
}

test('workers that are full renew their leases together, in transactions of their own', async () => {
  const served = new Served();
  const ids = await busyWorkers(served, 40);
  served.now += LEASE_MS - 1;
  const writes = countWrites();
  const results = await Promise.all(ids.map((id) => served.exchange(id, { capacity: FULL })));
  // The first one does not wait for the others.
  expect(writes()).toBe(2);
  for (const result of results) {
    expect(result).toMatchObject({ claims: [], at_ms: served.now, lease_ms: LEASE_MS });
  }
  served.now += LEASE_MS - 1;
  expect(await served.engine.sweep()).toBe(0);
  served.now += 1;
  expect(await served.engine.sweep()).toBe(40);
});

test('a worker that is full learns what to cancel when it renews its lease', async () => {
  const served = new Served();
  await served.submit([{ name: 'only' }]);
  const worker = await served.worker();
  const [claim] = await served.claim(worker);
  await served.engine.cancel(1, { actor: 'test' });
  expect(await served.exchange(worker, { capacity: FULL })).toMatchObject({ cancel: [claim!.token] });
});

test('a renewal that is sent again gets the same answer, and an older one is refused', async () => {
  const served = new Served();
  const [worker] = await busyWorkers(served, 1);
  const renewal = served.next(worker!, { capacity: FULL });
  const first = await served.engine.exchange(worker!, renewal);
  served.now += 1_000;
  expect(await served.engine.exchange(worker!, renewal)).toEqual(first);
  await served.exchange(worker!, { capacity: FULL });
  await expect(served.engine.exchange(worker!, renewal)).rejects.toMatchObject({ code: 'STALE_EXCHANGE' });
});

test('the same renewal, sent several times at the same moment, is made once', async () => {
  const served = new Served();
  const [worker] = await busyWorkers(served, 1);
  const renewal = served.next(worker!, { capacity: FULL });
  const [first, ...others] = await Promise.all(
    Array.from({ length: 4 }, () => served.engine.exchange(worker!, renewal)),
  );
  for (const other of others) expect(other).toEqual(first);
});

test('a renewal that is refused does not touch those that share its transaction', async () => {
  const served = new Served();
  const [first, retired, third] = await busyWorkers(served, 3);
  await served.engine.retireWorker(retired!);
  const [one, two, nobody, other] = await Promise.allSettled(
    [first!, retired!, 999, third!].map((id) => served.exchange(id, { capacity: FULL })),
  );
  expect(one).toMatchObject({ value: { lease_ms: LEASE_MS } });
  expect(two).toMatchObject({ reason: { code: 'WORKER_RETIRED' } });
  expect(nobody).toMatchObject({ reason: { code: 'WORKER_NOT_FOUND' } });
  expect(other).toMatchObject({ value: { lease_ms: LEASE_MS } });
});

test('a worker that resumes as another process refuses renewals of the one before', async () => {
  const served = new Served();
  const [worker] = await busyWorkers(served, 1);
  await served.exchange(worker!, { capacity: FULL });
  const late = served.next(worker!, { capacity: FULL });
  await served.resume(worker!);
  await expect(served.engine.exchange(worker!, late)).rejects.toMatchObject({ code: 'STALE_EXCHANGE' });
});

test('a worker that is full is given code to evaluate when it renews its lease', async () => {
  const served = new Served();
  const [worker] = await busyWorkers(served, 1);
  await served.submit([{ name: 'asks', onFail: { goto_js: 'null' } }]);
  const other = await served.worker();
  const claims = await served.claim(other);
  const asks = claims.find(({ job_name }) => job_name === 'asks');
  expect((await served.end(other, asks!, { exit_code: 1 })).errands).toMatchObject([{ kind: 'evaluation' }]);
  expect(await served.exchange(worker!, { capacity: FULL })).toMatchObject({ errands: [] });
  // What it left is for any worker.
  await served.engine.retireWorker(other);
  const { errands } = await served.exchange(worker!, { capacity: FULL });
  expect(errands).toMatchObject([{ kind: 'evaluation', token: asks!.token }]);
});
