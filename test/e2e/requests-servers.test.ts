import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { connect } from '../../src/index.ts';
import { until } from '../cli/run-cli.ts';
import { sharedPostgres } from '../postgres/postgres-world.ts';
import { makeServers } from './request-servers.ts';
import { overlaps } from './request-world.ts';

/** Rounds of three units of 10 numbers. */
const rounds = (name: string, count: number, command: string) => ({
  name,
  work: { range: { total: count * 30, per_job: 10 } },
  round: { first_units: 3, units: 3 },
  process: { command, retry: 2 },
});

describe.concurrent('requests of servers', () => {
  test('survive kill -9 of the server and its worker: nothing is delivered twice', async (context) => {
    const servers = makeServers(context);
    const server = await servers.serve();
    const worker = await servers.worker('north', '-j', '1', '--lease', '1m');
    await servers.submit(
      rounds('campaign', 2, 'echo {unit} >> started; [ -e go ] || [ {unit} -ne 2 ] || sleep 600'),
    );
    await until(() => servers.lines('north/started').length === 2, 'the second job runs');
    await server.end('SIGKILL');
    await worker.end('SIGKILL');
    servers.write('north/go');
    server.start();
    worker.start();
    await until(async () => (await fetch(`${servers.url}/healthz`).catch(() => null)) !== null, 'it answers');
    // The job that the worker left behind is not waited for.
    const client = connect(servers.url);
    const { workers } = await client.engine.status(1);
    for (const { id } of workers) await client.engine.loseWorker(id, { actor: 'test' }).catch(() => {});
    const done = await servers.reaches('campaign', 'COMPLETED');
    expect(done).toMatchObject({ delivered: '60', cursor: '61' });
    expect(done.rounds.map(({ state, units }) => [state, units.done])).toEqual([
      ['COMPLETED', 3],
      ['COMPLETED', 3],
    ]);
    const succeeded = (await servers.attempts('campaign')).filter(({ state }) => state === 'SUCCEEDED');
    expect(succeeded).toHaveLength(6);
    await client.close();
  });

  test('survive kill -9 of the server in every state, with the ledger as it was', async (context) => {
    const servers = makeServers(context);
    const server = await servers.serve();
    const kill = async () => {
      await server.end('SIGKILL');
      server.start();
      await until(
        async () => (await fetch(`${servers.url}/healthz`).catch(() => null)) !== null,
        'it answers',
      );
    };
    const ledger = ({ status, delivered, cursor, rounds: all }: RequestRecord) => ({
      ...{ status, delivered, cursor },
      rounds: all.map(({ number, state, units }) => ({ number, state, units })),
    });
    const order = (what: string, body: object = {}) =>
      servers.call('POST', `/requests/campaign/${what}`, body);
    // The first round waits, and its first unit is done; the second one fails as a whole until it is fixed.
    const command =
      'echo {unit} >> started; [ {unit} -eq 1 ] || until [ -e go ]; do sleep 0.05; done; [ {unit} -le 3 ] || [ -e fixed ]';
    await servers.submit({ ...rounds('campaign', 2, command), process: { command, retry: 0 } });
    await kill();
    const waits = await servers.show('campaign');
    expect(['QUEUED', 'PLANNING', 'ACTIVE']).toContain(waits.status);
    await servers.worker('north', '-j', '1', '--lease', '1m');
    await until(() => servers.lines('north/started').length === 2, 'the second job runs');
    await until(
      async () => (await servers.show('campaign')).rounds[0]!.units.done === 1,
      'the first unit is done',
    );
    await kill();
    const active = await servers.show('campaign');
    expect(active).toMatchObject({ status: 'ACTIVE', rounds: [{ units: { done: 1 } }] });

    expect((await order('stop', { pause: true })).status).toBe(200);
    await kill();
    const paused = await servers.reaches('campaign', 'PAUSED');
    expect(paused).toMatchObject({ rounds: [{ state: 'STOPPED', units: { done: 1 } }] });
    servers.write('north/go');
    expect((await order('resume')).status).toBe(200);
    await kill();
    const held = await servers.reaches('campaign', 'HELD');
    expect(held).toMatchObject({
      delivered: '30',
      rounds: [{ units: { done: 3 } }, { units: { failed: 3 } }],
    });
    servers.write('north/fixed');
    expect((await order('release', { reason: 'fixed' })).status).toBe(200);
    await kill();
    const done = await servers.reaches('campaign', 'COMPLETED');
    expect(done.delivered).toBe('60');
    await kill();
    expect(ledger(await servers.show('campaign'))).toEqual(ledger(done));
    const succeeded = (await servers.attempts('campaign')).filter(({ state }) => state === 'SUCCEEDED');
    expect(succeeded).toHaveLength(6);
    const { body } = await servers.call('GET', '/requests/campaign/units?limit=1000');
    expect(overlaps(body.items as never)).toEqual([]);
  });

  test('on one PostgreSQL two servers plan each round once', async (context) => {
    const postgres = await sharedPostgres();
    const { url, giveBack } = await postgres.borrowDatabase();
    context.onTestFinished(giveBack);
    const servers = makeServers(context);
    await servers.serve('first', { DATABASE_URL: url });
    await servers.serve('second', { DATABASE_URL: url });
    await servers.worker('north', '-j', '4');
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      expect((await servers.submit(rounds(name, 3, 'true'))).status).toBe(201);
    }
    for (const name of names) {
      const done = await servers.reaches(name, 'COMPLETED');
      expect(done).toMatchObject({ delivered: '90', cursor: '91' });
      expect(done.rounds.map(({ number, units }) => [number, units.total])).toEqual([
        [1, 3],
        [2, 3],
        [3, 3],
      ]);
      const { body } = await servers.call('GET', `/requests/${name}/units?limit=1000`);
      expect(overlaps(body.items as never)).toEqual([]);
      expect(await servers.attempts(name)).toHaveLength(9);
    }
    const { body } = await servers.call('GET', '/workflows?limit=1000');
    expect(body.items).toHaveLength(9);
  });
});
