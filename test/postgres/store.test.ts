import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { SESSION_SETTINGS } from '../../src/store/postgres/connection-config.ts';
import { numberPlaceholders } from '../../src/store/postgres/numbered-sql.ts';
import { type PostgresOptions, PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { insertServerErrand, takeServerErrands } from '../../src/store/rows/errands/server-errand-rows.ts';
import { listClaimable } from '../../src/store/rows/jobs/job-rows.ts';
import { lockFreeSharedWorkflows } from '../../src/store/rows/workflows/workflow-rows.ts';
import { all, changeOne, first, lock, run, type Script, type Statement } from '../../src/store/script.ts';
import { simpleModel } from '../engine/simple-model.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { sharedPostgres } from './postgres-world.ts';

async function database(): Promise<string> {
  const { url, giveBack } = await (await sharedPostgres()).borrowDatabase();
  onTestFinished(giveBack);
  return url;
}

async function open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const store = await PostgresStore.open(url, options);
  onTestFinished(() => store.close());
  return store;
}

async function rawClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

async function createWorkflows(url: string, count: number): Promise<number[]> {
  const engine = await openEngine({ dir: '.', create: false, databaseUrl: url });
  const ids: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const model = simpleModel([{ name: 'a' }]);
    const place = { cwd: '/', output_dir: 'o', actor: 'test', shared: true };
    ids.push((await engine.createWorkflow({ model, ...place })).id);
  }
  await engine.close();
  return ids;
}

function* addOne(id: number): Script<number> {
  yield* changeOne('update workflow set job_count = job_count + 1 where id = ?', id);
  return (yield* first<{ job_count: number }>('select job_count from workflow where id = ?', id))!.job_count;
}

test('a script that needs no time waits for the database only where it needs an answer, and for the commit', async () => {
  const proxy = await CuttingProxy.before(await database());
  onTestFinished(() => proxy.close());
  const store = await open(proxy.url);
  const turnsOf = async (work: () => Promise<unknown>) => {
    const before = proxy.turns;
    await work();
    return proxy.turns - before;
  };
  const change = () => run('update schema_version set version = version');
  const ask = () => first<{ version: number }>('select version from schema_version');

  expect(await turnsOf(() => store.write(change))).toBe(1);
  expect(await turnsOf(() => store.write((_now) => change()))).toBe(2);
  expect(await turnsOf(() => store.write(ask))).toBe(2);
});

test.for(['before', 'after'] as const)(
  'a change whose commit was cut off %s it was made, is made once, and is known to be made',
  async (moment) => {
    const url = await database();
    const [id] = await createWorkflows(url, 1);
    const proxy = await CuttingProxy.before(url);
    onTestFinished(() => proxy.close());
    const store = await open(proxy.url);
    proxy.cut = moment;
    expect(await store.write(() => addOne(id!))).toBe(2);
    expect(proxy.cuts).toBe(1);
    expect(await store.write(() => addOne(id!))).toBe(3);
  },
);

test('scripts that lock each other out are run again, and none is lost', async () => {
  const url = await database();
  const [one, other] = await createWorkflows(url, 2);
  const store = await open(url);
  let runs = 0;
  function* inOrder(ids: number[]): Script<void> {
    runs += 1;
    yield* addOne(ids[0]!);
    yield* lock('select pg_advisory_xact_lock_shared(7)');
    yield* addOne(ids[1]!);
  }
  // Each has its first lock before any of them asks for its second.
  const blocker = await rawClient(url);
  await blocker.query('select pg_advisory_lock(7)');
  const both = [store.write(() => inOrder([one!, other!])), store.write(() => inOrder([other!, one!]))];
  const postgres = await sharedPostgres();
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await postgres.ask(waiting, url)).rowCount, { timeout: 60_000 }).toBe(2);
  await blocker.query('select pg_advisory_unlock(7)');
  await Promise.all(both);
  expect(runs).toBeGreaterThan(2);
  const counts = await store.read(() => all<{ job_count: number }>('select job_count from workflow'));
  expect(counts.map(({ job_count }) => job_count)).toEqual([3, 3]);
});

test('a bug in a script is reported even if its statement was not waited for, and nothing is kept', async () => {
  const url = await database();
  const [id] = await createWorkflows(url, 1);
  const store = await open(url);
  await expect(
    store.write(function* () {
      yield* addOne(id!);
      yield* changeOne('update workflow set name = ? where id = ?', 'x', -1);
    }),
  ).rejects.toThrow(/changed 0/);
  await expect(
    store.write(function* () {
      yield* addOne(id!);
      yield* changeOne('update workflow set max_parallel = ? where id = ?', -1, id!);
      return (yield* first('select 1 as one'))!;
    }),
  ).rejects.toThrow(/check constraint/);
  // However many rows it changes, so that it is sent along with the commit.
  await expect(
    store.write(function* () {
      yield* addOne(id!);
      yield* run('update workflow set max_parallel = ? where id = ?', -1, id!);
    }),
  ).rejects.toThrow(/check constraint/);
  expect(await store.write(() => addOne(id!))).toBe(2);
});

test('readers do not wait for writers, and claims pass over what others have locked', async () => {
  const url = await database();
  const [locked, free] = await createWorkflows(url, 2);
  const store = await open(url);
  const blocker = await rawClient(url);
  await blocker.query('begin');
  await blocker.query('update workflow set name = $1 where id = $2', ['changed', locked]);
  const name = await store.read(() =>
    first<{ name: string }>('select name from workflow where id = ?', locked!),
  );
  expect(name).toEqual({ name: 'simple' });
  const lockFree = async () => (await store.write(() => lockFreeSharedWorkflows())).map(({ id }) => id);
  expect(await lockFree()).toEqual([free]);
  await blocker.query('rollback');
  expect(await lockFree()).toEqual([locked, free]);
});

test('a process that was stopped in the middle of a transaction does not keep others waiting', async () => {
  const url = await database();
  const [id] = await createWorkflows(url, 1);
  const stopped = await rawClient(url);
  await stopped.query(SESSION_SETTINGS.write);
  await stopped.query('begin');
  await stopped.query('select id from workflow where id = $1 for no key update', [id]);
  const store = await open(url);
  const changed = store.write(function* () {
    yield* lock('select id from workflow where id = ? for no key update', id!);
    return yield* addOne(id!);
  });
  expect(await changed).toBe(2);
});

test('servers that start at the same time make the schema once', async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  onTestFinished(() => postgres.dropDatabase(url));
  const stores = await Promise.all(Array.from({ length: 4 }, () => PostgresStore.open(url)));
  const versions = await stores[0]!.read(() =>
    all<{ version: number }>('select version from schema_version'),
  );
  expect(versions).toHaveLength(1);
  await Promise.all(stores.map((store) => store.close()));
});

test('the same submission, sent twice at once to two servers, makes one workflow', async () => {
  const url = await database();
  const engines = await Promise.all(
    Array.from({ length: 2 }, () => openEngine({ dir: '.', create: false, databaseUrl: url })),
  );
  const workflow = {
    model: simpleModel([{ name: 'a' }]),
    cwd: '/',
    output_dir: 'o',
    actor: 'test',
    idempotency_key: 'once',
  };
  const records = await Promise.all(engines.map((engine) => engine.createWorkflow(workflow)));
  expect(records[1]!.id).toBe(records[0]!.id);
  expect((await engines[0]!.listWorkflows()).items).toHaveLength(1);
  await Promise.all(engines.map((engine) => engine.close()));
});

test('text with a NUL is stored without it, and bytes come back as they were', async () => {
  const store = await open(await database());
  const row = await store.read(() =>
    first('select cast(? as text) as text, cast(? as bytea) as bytes', 'a\0b', new Uint8Array([0, 1, 255])),
  );
  expect(row).toEqual({ text: 'a\ufffdb', bytes: new Uint8Array([0, 1, 255]) });
});

test('a question mark in a literal is not a placeholder', () => {
  expect(numberPlaceholders(`select '?' || ?, "a?b", 'it''s ?' where x = ?`)).toBe(
    `select '?' || $1, "a?b", 'it''s ?' where x = $2`,
  );
});

test('a claim from a large workflow takes the first jobs from an index, right after it was created', async () => {
  const url = await database();
  const engine = await openEngine({ dir: '.', create: false, databaseUrl: url });
  const model = simpleModel(Array.from({ length: 5000 }, (_, index) => ({ name: `j${index}` })));
  await engine.createWorkflow({ model, cwd: '/', output_dir: 'o', actor: 'test' });
  await engine.close();
  const client = await rawClient(url);
  await client.query(SESSION_SETTINGS.write);
  const { sql } = listClaimable(1, 1, 20).next().value as Statement;
  await client.query(`prepare claim (bigint, bigint) as ${numberPlaceholders(sql)}`);
  const { rows } = await client.query('explain execute claim (1, 1)');
  const plan = JSON.stringify(rows);
  expect(plan).toContain('job_claimable');
  expect(plan).not.toContain('Sort');
});

test('an errand that another server takes between the look and the lock is not taken again', async () => {
  const url = await database();
  const [workflow_id] = await createWorkflows(url, 1);
  const store = await open(url);
  const errand = { workflow_id: workflow_id!, run_id: 1, kind: 'count', data: null, timeout_ms: null };
  await store.write((now) => insertServerErrand(errand, now));
  const taking = { kinds: ['count'], sender: 'shared' as const, busy: [], limit: 9 };
  const take = (now: number) => takeServerErrands(taking, { server: 'one', expires_at: now + 60_000 }, now);
  // A cursor looks when it is declared, and locks when it is read.
  const slow = await rawClient(url);
  const { sql, values, locking } = take(Date.now()).next().value as Statement;
  const texts = values.map((value) => (typeof value === 'number' ? String(value) : `'${value}'`));
  await slow.query('begin');
  await slow.query(`declare looked cursor for ${sql.replaceAll('?', () => texts.shift()!)} ${locking}`);
  expect(await store.write(take)).toHaveLength(1);
  expect((await slow.query('fetch all from looked')).rows).toEqual([]);
});

test.for([
  ['no server there', (url: URL) => Object.assign(url, { port: '1' }), 'DATABASE_UNREACHABLE'],
  ['a wrong password', (url: URL) => Object.assign(url, { password: 'hush-hush' }), 'DATABASE_UNREACHABLE'],
  ['no such database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), 'DATABASE_UNREACHABLE'],
  ['another protocol', (url: URL) => new URL(url.href.replace('postgres:', 'mysql:')), 'INVALID_ARGUMENT'],
] as const)('%s is reported in words, without the password', async ([, change, code]) => {
  const url = change(new URL(await database()));
  const failure = await PostgresStore.open(url.href, { openPatienceMs: 50 }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code });
  const { message, hint, stack, cause } = failure as Error & { hint: string };
  for (const text of [message, hint, stack, String(cause), JSON.stringify(cause)]) {
    expect(text ?? '').not.toMatch(/hold-fast|hush-hush/);
  }
});

test('tables of an older version are refused until they are upgraded by hand, and once', async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  onTestFinished(() => postgres.dropDatabase(url));
  const created = await openEngine({ dir: '.', create: false, databaseUrl: url });
  await created.createWorkflow({
    model: simpleModel([{ name: 'a' }]),
    cwd: '.',
    output_dir: 'output',
    actor: 'agent:ada',
  });
  await created.close();
  // As version 1 left them.
  await postgres.ask('drop index worker_draining', url);
  for (const table of ['workflow', 'request']) {
    await postgres.ask(`alter table ${table} drop column owned_by, drop column access_groups`, url);
  }
  await postgres.ask('update schema_version set version = 1', url);
  await expect(PostgresStore.open(url)).rejects.toMatchObject({ code: 'SCHEMA_TOO_OLD' });
  const stores = await Promise.all([1, 2].map(() => PostgresStore.open(url, { mayUpgrade: true })));
  const found = await stores[0]!.read(() => all('select name, owned_by, access_groups from workflow'));
  expect(found).toMatchObject([{ owned_by: 'ada', access_groups: '[]' }]);
  await expect(stores[0]!.read(() => all('select owned_bye from workflow'))).rejects.toMatchObject({
    code: 'SCHEMA_UNKNOWN',
  });
  await Promise.all(stores.map((store) => store.close()));
});
