import { describe, expect, test } from 'vitest';
import { LOG_TAIL_BYTES } from '../../src/core/log-access.ts';
import { outcome } from '../../src/core/outcome.ts';
import { LEASE_MS } from '../../src/engine/local-engine.ts';
import { ownIdentity } from '../../src/engine/process-identity.ts';
import { PLENTY } from './engine-world.ts';
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
          outcome: outcome({ exitCode: 0 }),
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

  test('a retry goes to another worker that fits, and back after 30 s if that one does not come', async () => {
    const served = new Served();
    await served.submit([{ name: 'flaky', retry: RETRY }]);
    const [first, second] = [await served.worker(), await served.worker()];
    const [claim] = await served.claim(first);
    await served.end(first, claim!, { exitCode: 1 });
    expect(await served.claim(first)).toEqual([]);
    const [retry] = await served.claim(second);
    expect(retry).toMatchObject({ job_name: 'flaky', attempt_id: 2 });
    await served.end(second, retry!, { exitCode: 1 });
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
    await served.end(large, claim!, { exitCode: 1 });
    expect(await served.claim(large)).toMatchObject([{ attempt_id: 2 }]);
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
    await expect(served.end(worker, claim!)).rejects.toMatchObject({
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

  test('a worker that drains takes nothing more and is told to leave', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    expect(await served.engine.workersToTell()).toEqual([]);
    expect(await served.engine.drainWorker(worker, 'me')).toMatchObject({ state: 'draining' });
    expect(await served.engine.workersToTell()).toEqual([worker]);
    expect(await served.exchange(worker, { capacity: PLENTY })).toMatchObject({ drain: true, claims: [] });
    await served.engine.retireWorker(worker);
    await expect(served.engine.drainWorker(worker, 'me')).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
    await expect(served.engine.drainWorker(99, 'me')).rejects.toMatchObject({ code: 'WORKER_NOT_FOUND' });
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
    const resumed = await served.engine.resumeWorker(worker, ownIdentity({ kind: 'service' }));
    expect(resumed).toMatchObject({
      worker: { id: worker, running: 2 },
      seq: 3,
      recoveries: [],
      actions: [],
    });
    expect(resumed.held.map(({ claim }) => claim)).toEqual(claims);
    expect(resumed.held.map(({ started_at_ms }) => started_at_ms === null)).toEqual([false, true]);
    // What the dead process had sent arrives too late.
    await expect(served.exchange(worker, { seq: 3 })).rejects.toMatchObject({ code: 'STALE_EXCHANGE' });
    served.now += 20_000;
    expect(await served.engine.sweep()).toBe(0);
    served.now += LEASE_MS;
    expect(await served.engine.sweep()).toBe(1);
    await expect(served.engine.resumeWorker(worker, ownIdentity())).rejects.toMatchObject({
      code: 'WORKER_RETIRED',
    });
  });

  test('times of a worker whose clock is wrong are those of the engine', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    const hour = 3_600_000;
    await served.exchange(worker, {
      sent_at_ms: served.now - hour,
      finished: [
        {
          token: claim!.token,
          started_at_ms: served.now - hour - 500,
          finished_at_ms: served.now - hour,
          outcome: outcome({ exitCode: 0 }),
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
    expect(await served.engine.hasWork()).toBe(false);
    await served.submit([{ name: 'private' }], { shared: false });
    expect(await served.engine.hasWork()).toBe(false);
    await served.submit([{ name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 5000 } }]);
    expect(await served.engine.hasWork()).toBe(true);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    expect(await served.engine.hasWork()).toBe(false);
    await served.end(worker, claim!, { exitCode: 1 });
    expect(await served.engine.hasWork()).toBe(false);
    served.now += 5000;
    expect(await served.engine.hasWork()).toBe(true);
  });
});

describe('submitting under a key', () => {
  test('gives the workflow that there is, and refuses another one', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }], { key: 'k' });
    expect(await served.submit([{ name: 'a' }], { key: 'k' })).toBe(id);
    await expect(served.submit([{ name: 'b' }], { key: 'k' })).rejects.toMatchObject({ code: 'KEY_REUSED' });
    expect((await served.engine.listWorkflows()).items).toHaveLength(1);
  });
});

describe('tokens', () => {
  test('are known by their secret until they expire or are revoked, and only their hash is stored', async () => {
    const served = new Served();
    const { engine } = served;
    const expires = served.now + 1000;
    const made = await engine.createToken({
      name: 'ci',
      role: 'operator',
      expires_at_ms: expires,
      actor: 'me',
    });
    expect(made.secret).toMatch(/^hf_[\w-]{43}$/);
    expect(await engine.authenticate(made.secret)).toMatchObject({ name: 'ci', role: 'operator' });
    expect(await engine.authenticate(`${made.secret}x`)).toBeNull();
    expect(JSON.stringify(await engine.listTokens())).not.toContain(made.secret);
    served.now = expires;
    expect(await engine.authenticate(made.secret)).toBeNull();
    const other = await engine.createToken({ name: 'x', role: 'viewer', expires_at_ms: null, actor: 'me' });
    await engine.revokeToken(other.id, 'admin');
    expect(await engine.authenticate(other.secret)).toBeNull();
    await expect(engine.revokeToken(99, 'admin')).rejects.toMatchObject({ code: 'TOKEN_NOT_FOUND' });
    expect((await engine.listAudit()).items.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'admin token_revoked',
      'me token_created',
      'me token_created',
    ]);
  });
});

describe('logs that reach the server', () => {
  test('are kept at their end, joined where they meet, and read by range', async () => {
    const served = new Served();
    const { engine } = served;
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    const put = (offset: number, text: string) =>
      engine.putLogs(worker, [{ token: claim!.token, stream: 'stdout', offset, data: Buffer.from(text) }]);
    const read = async (part: object = {}) => {
      const chunk = await engine.readLog(id, { job: 'a', stream: 'stdout', ...part });
      return { ...chunk, data: Buffer.from(chunk.data).toString() };
    };
    expect(await read()).toMatchObject({ data: '', size: 0, ended: false });
    await put(0, 'hello ');
    await put(6, 'world');
    await put(9, 'LD!');
    expect(await read()).toMatchObject({ data: 'hello worLD!', size: 12, offset: 0, attempt_id: 1 });
    expect(await read({ offset: 6, limit: 3 })).toMatchObject({ data: 'wor', offset: 6, size: 12 });
    expect(await read({ offset: -3 })).toMatchObject({ data: 'LD!', offset: 9 });
    await put(100, 'after a gap');
    expect(await read()).toMatchObject({ data: 'after a gap', offset: 100, size: 111 });
    await put(111, 'x'.repeat(LOG_TAIL_BYTES));
    expect(await read({ limit: 5 })).toMatchObject({
      data: 'xxxxx',
      offset: 111,
      size: 111 + LOG_TAIL_BYTES,
    });
    await served.end(worker, claim!);
    expect(await read({ limit: 0 })).toMatchObject({ ended: true });
  });

  test('of an attempt that was never the worker’s are not taken', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const [claim] = await served.claim(await served.worker());
    const stranger = await served.worker();
    const part = { token: claim!.token, stream: 'stdout' as const, offset: 0, data: Buffer.from('lies') };
    await served.engine.putLogs(stranger, [part, { ...part, token: 999 }]);
    const { size } = await served.engine.readLog(id, { job: 'a', stream: 'stdout' });
    expect(size).toBe(0);
  });

  test('are asked of the worker while somebody follows', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    expect(await served.exchange(worker)).toMatchObject({ follow: [] });
    await served.engine.readLog(id, { job: 'a', stream: 'stdout', follow: true });
    expect(await served.engine.workersToTell()).toEqual([worker]);
    expect(await served.exchange(worker)).toMatchObject({ follow: [claim!.token] });
    served.now += 20_000;
    await served.engine.sweep();
    expect(await served.exchange(worker)).toMatchObject({ follow: [] });
  });

  test('without an attempt there is none', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const read = (part: object) => served.engine.readLog(id, { job: 'a', stream: 'stdout', ...part });
    await expect(read({})).rejects.toMatchObject({ code: 'NO_ATTEMPT' });
    await expect(read({ attempt_id: 3 })).rejects.toMatchObject({ code: 'NO_LOG' });
  });
});

describe('failure handlers', () => {
  const rules =
    '[{"exit_codes":[10,"20-29"],"max_retries":3,"delay":"1500ms","memory":"x1.5","max_memory":4096}]';

  test('are created for jobs, listed in the notation of specs, and deleted', async () => {
    const served = new Served();
    const { engine } = served;
    const id = await served.submit([{ name: 'a' }]);
    const made = await engine.createFailureHandler(id, { name: 'h', rules, jobs: ['a'], actor: 'me' });
    expect(made).toEqual({ id: made.id, workflow_id: id, name: 'h', rules });
    expect(await engine.listFailureHandlers(id)).toEqual([made]);
    expect(await engine.getFailureHandler(made.id)).toEqual(made);
    expect((await engine.getJob(id, 'a')).config.failureHandler).toBe('h');
    await engine.deleteFailureHandler(made.id, 'me');
    expect((await engine.getJob(id, 'a')).config.failureHandler).toBeNull();
    await expect(engine.getFailureHandler(made.id)).rejects.toMatchObject({ code: 'HANDLER_NOT_FOUND' });
    expect(await served.events(id)).toEqual(['workflow_created', 'handler_created', 'handler_deleted']);
  });

  test('apply from the next failure on', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const handler = { name: 'h', rules: '[{"exit_codes":[10],"max_retries":2}]', jobs: ['a'], actor: 'me' };
    const [claim] = await served.claim(worker);
    await served.engine.createFailureHandler(id, handler);
    await served.end(worker, claim!, { exitCode: 10 });
    expect(await served.engine.getJob(id, 'a')).toMatchObject({ status: 'ready', failure_count: 1 });
  });

  test.each([
    ['not json', '[{', /not JSON/],
    ['an unknown key', '[{"exit_code":[1]}]', /rules\[0\].*exit_codes/s],
    ['no rules', '[]', /rules/],
    ['a decision nobody may make', '[{"exit_codes":[1],"verdict":"ask"}]', /use_pending_failed/],
  ])('with %s are refused', async (_, broken, message) => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const create = served.engine.createFailureHandler(id, { name: 'h', rules: broken, actor: 'me' });
    await expect(create).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
    expect(await served.engine.listFailureHandlers(id)).toEqual([]);
  });

  test('have names of their own', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    await served.engine.createFailureHandler(id, { name: 'h', rules, actor: 'me' });
    const again = served.engine.createFailureHandler(id, { name: 'h', rules, actor: 'me' });
    await expect(again).rejects.toMatchObject({ code: 'HANDLER_EXISTS' });
  });
});

describe('lists', () => {
  test('of jobs are sorted as told, page by page, without gaps or doubles', async () => {
    const served = new Served();
    const names = ['pear', 'apple', 'fig', 'quince', 'date'];
    const id = await served.submit(names.map((name) => ({ name })));
    const pages = async (sort: 'id' | '-id' | 'name' | '-name') => {
      const found: string[] = [];
      let after: number | null = 0;
      while (after !== null) {
        const page = await served.engine.listJobs(id, { sort, limit: 2, ...(after > 0 ? { after } : {}) });
        found.push(...page.items.map(({ name }) => name));
        after = page.next;
      }
      return found;
    };
    expect(await pages('id')).toEqual(names);
    expect(await pages('-id')).toEqual(names.toReversed());
    expect(await pages('name')).toEqual(names.toSorted());
    expect(await pages('-name')).toEqual(names.toSorted().toReversed());
  });

  test('a job is found by its number alone', async () => {
    const served = new Served();
    await served.submit([{ name: 'x' }]);
    const id = await served.submit([{ name: 'a' }]);
    expect(await served.engine.findJob(2)).toMatchObject({ workflow_id: id, name: 'a' });
    await expect(served.engine.findJob(3)).rejects.toMatchObject({ code: 'NO_SUCH_JOB' });
  });
});
