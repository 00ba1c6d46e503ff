import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { LEASE_MS } from '../../src/core/worker/lease.ts';
import { ownIdentity, processIdentity } from '../../src/host/process-identity.ts';
import { PLENTY } from './engine-world.ts';
import { hasWork, workersToNotify } from './found-news.ts';
import { RETRY, Served } from './served-world.ts';

describe('workers of a server', () => {
  test('take jobs of shared workflows, of whichever there are, and of no others', async () => {
    const served = new Served();
    await served.submit([{ name: 'private' }], { shared: false });
    const first = await served.submit([{ name: 'a' }]);
    const second = await served.submit([{ name: 'b' }]);
    const worker = await served.worker();
    const claims = await served.claim(worker);
    expect(claims.map(({ job_name }) => job_name)).toEqual(['a', 'b']);
    expect(await served.events(first)).toContain('run_started');
    for (const claim of claims) await served.end(worker, claim);
    expect(await served.engine.status(second)).toMatchObject({ complete: true, exit_code: 0 });
    expect(await served.events(second)).toEqual([
      'workflow_created',
      'run_started',
      'completed',
      'run_finished',
    ]);
  });

  test('an exchange that is sent again is not done again and gets the same answer', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const worker = await served.worker();
    const ask = served.next(worker, { capacity: PLENTY });
    const answer = await served.engine.exchange(worker, ask);
    expect(answer.claims).toHaveLength(1);
    expect(await served.engine.exchange(worker, ask)).toEqual(answer);
    const [claim] = answer.claims;
    const report = served.next(worker, {
      finished: [
        {
          token: claim!.token,
          started_at_ms: served.now,
          finished_at_ms: served.now,
          outcome: outcome({ exit_code: 0 }),
          usage: null,
        },
      ],
      capacity: PLENTY,
    });
    const reported = await served.engine.exchange(worker, report);
    expect(reported.claims.map(({ job_name }) => job_name)).toEqual(['b']);
    expect(await served.engine.exchange(worker, report)).toEqual(reported);
    expect((await served.engine.listAttempts(id)).items).toHaveLength(2);
  });

  test('an exchange from before the newest one is refused', async () => {
    const served = new Served();
    const worker = await served.worker();
    const old = served.next(worker);
    await served.engine.exchange(worker, old);
    await served.exchange(worker);
    await expect(served.engine.exchange(worker, old)).rejects.toMatchObject({ code: 'STALE_EXCHANGE' });
  });

  test('a worker that knows exchanges which the database does not is refused: a copy was restored', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    await served.exchange(worker);
    const ahead = { seq: 3, capacity: PLENTY };
    await expect(served.exchange(worker, ahead)).rejects.toMatchObject({
      code: 'DATABASE_RESTORED',
      message: expect.stringContaining(`worker ${worker} has made exchange 2`),
    });
    // The same without a job in question, as most exchanges of busy workers are.
    await expect(served.exchange(worker, { seq: 3 })).rejects.toMatchObject({ code: 'DATABASE_RESTORED' });
    expect(await served.exchange(worker, { seq: 2, capacity: PLENTY })).toMatchObject({
      claims: [{ job_name: 'a' }],
    });
  });

  test('a retry goes to another worker that fits, and back after 30 s if that one does not come', async () => {
    const served = new Served();
    await served.submit([{ name: 'flaky', retry: RETRY }]);
    const [first, second] = [await served.worker(), await served.worker()];
    const [claim] = await served.claim(first);
    await served.end(first, claim!, { exit_code: 1 });
    expect(await served.claim(first)).toEqual([]);
    const [retry] = await served.claim(second);
    expect(retry).toMatchObject({ job_name: 'flaky', attempt_id: 2 });
    await served.end(second, retry!, { exit_code: 1 });
    expect(await served.claim(second)).toEqual([]);
    served.now += 15_000;
    await served.exchange(first);
    served.now += 15_001;
    expect(await served.claim(second)).toMatchObject([{ attempt_id: 3 }]);
  });

  test('a retry returns to its worker at once where no other fits', async () => {
    const served = new Served();
    await served.submit([{ name: 'flaky', retry: RETRY, cpus: 3 }]);
    const large = await served.worker();
    await served.worker({ cpus: 2 });
    const [claim] = await served.claim(large);
    await served.end(large, claim!, { exit_code: 1 });
    expect(await served.claim(large)).toMatchObject([{ attempt_id: 2 }]);
  });

  test('a retry does not wait for another worker that is suspect', async () => {
    const served = new Served();
    await served.submit([{ name: 'a', retry: RETRY }]);
    const worker = await served.worker();
    await served.worker({ lease_ms: 600_000 });
    served.now += 31_000;
    const [claim] = await served.claim(worker);
    await served.end(worker, claim!, { exit_code: 1 });
    expect(await served.claim(worker)).toMatchObject([{ attempt_id: 2 }]);
  });

  test('a silent worker of this host is lost once neither its process nor a launcher of it lives', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }]);
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-directory-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const gone = { ...ownIdentity({ kind: 'service', lease_ms: 600_000, directory }), pid: 2 ** 22 + 1 };
    const { id } = await served.engine.registerWorker(gone);
    expect(await served.claim(id)).toHaveLength(1);
    served.now += 31_000;
    // The place of its launchers is unknown: it may be in another container.
    expect(await served.engine.sweep()).toBe(0);
    mkdirSync(join(directory, 'launchers'));
    const note = join(directory, 'launchers', '12345678.json');
    writeFileSync(note, JSON.stringify(processIdentity()));
    expect(await served.engine.sweep()).toBe(0);
    rmSync(note);
    expect(await served.engine.sweep()).toBe(1);
    expect((await served.engine.listWorkers()).items).toMatchObject([{ state: 'retired' }]);
  });

  test('a worker whose lease is over is given up, its jobs go to others, and its late report is refused', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    await served.start(worker, claim!);
    expect(await served.engine.sweep()).toBe(0);
    served.now += LEASE_MS + 1;
    expect(await served.engine.sweep()).toBe(1);
    await expect(served.end(worker, claim!, { exit_code: 1 })).rejects.toMatchObject({
      code: 'WORKER_RETIRED',
      httpStatus: 409,
    });
    const other = await served.worker();
    expect(await served.claim(other)).toMatchObject([{ job_name: 'a', attempt_id: 2 }]);
    expect((await served.engine.listAttempts(id)).items).toMatchObject([
      { state: 'WORKER_FAILED', is_worker_failure: true },
      { state: 'PENDING' },
    ]);
  });

  test('a worker that drains takes nothing more and gets the order to leave', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    expect(await workersToNotify(served.engine)).toEqual([]);
    expect(await served.engine.drainWorker(worker, { actor: 'me' })).toMatchObject({ state: 'draining' });
    expect(await workersToNotify(served.engine)).toEqual([worker]);
    expect(await served.exchange(worker, { capacity: PLENTY })).toMatchObject({ drain: true, claims: [] });
    await served.engine.retireWorker(worker);
    await expect(served.engine.drainWorker(worker, { actor: 'me' })).rejects.toMatchObject({
      code: 'WORKER_RETIRED',
    });
    await expect(served.engine.drainWorker(99, { actor: 'me' })).rejects.toMatchObject({
      code: 'WORKER_NOT_FOUND',
    });
    expect((await served.engine.listAudit()).items).toMatchObject([
      { actor: 'me', action: 'worker_drained' },
    ]);
  });

  test('a restarted worker is given what it holds, and its jobs stay its own', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }, { name: 'b' }]);
    const worker = await served.worker();
    const claims = await served.claim(worker);
    await served.start(worker, claims[0]!);
    served.now += 20_000;
    const resumed = await served.resume(worker);
    expect(resumed).toMatchObject({
      worker: { id: worker, running: 2 },
      seq: 3,
      errands: [],
    });
    expect(resumed.held.map(({ claim }) => claim)).toEqual(claims);
    expect(resumed.held.map(({ started_at_ms }) => started_at_ms === null)).toEqual([false, true]);
    // What the dead process had sent arrives too late.
    await expect(served.exchange(worker, { seq: 3 })).rejects.toMatchObject({ code: 'STALE_EXCHANGE' });
    served.now += 20_000;
    expect(await served.engine.sweep()).toBe(0);
    served.now += LEASE_MS;
    expect(await served.engine.sweep()).toBe(1);
    await expect(served.resume(worker)).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
  });

  test('nobody continues as a worker without its secret, which is not stored', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    await served.claim(worker);
    const other = await served.worker();
    const secrets = ['', 'x', served.secrets.get(other)!, `${served.secrets.get(worker)} `];
    for (const secret of secrets) {
      await expect(served.resume(worker, secret)).rejects.toMatchObject({ code: 'NOT_THAT_WORKER' });
    }
    const hash = await served.engine.workerSecretHash(worker);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await served.engine.workerSecretHash(99)).toBeNull();
    expect((await served.resume(worker)).held).toHaveLength(1);
  });

  test('times of a worker whose clock is wrong are those of the engine', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    const hour = 3_600_000;
    served.now += 1_000;
    await served.exchange(worker, {
      sent_at_ms: served.now - hour,
      finished: [
        {
          token: claim!.token,
          started_at_ms: served.now - hour - 500,
          finished_at_ms: served.now - hour,
          outcome: outcome({ exit_code: 0 }),
          usage: null,
        },
      ],
    });
    expect((await served.engine.listAttempts(id)).items).toMatchObject([
      { started_at_ms: served.now - 500, finished_at_ms: served.now },
    ]);
  });

  test('there is work for idle workers only where something can be started', async () => {
    const served = new Served();
    expect(await hasWork(served.engine)).toBe(false);
    await served.submit([{ name: 'private' }], { shared: false });
    expect(await hasWork(served.engine)).toBe(false);
    await served.submit([{ name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 5000 } }]);
    expect(await hasWork(served.engine)).toBe(true);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    expect(await hasWork(served.engine)).toBe(false);
    await served.end(worker, claim!, { exit_code: 1 });
    expect(await hasWork(served.engine)).toBe(false);
    served.now += 5000;
    expect(await hasWork(served.engine)).toBe(true);
  });
});
