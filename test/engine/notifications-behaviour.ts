import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { ServerErrandHandler } from '../../src/contract/records/errand.ts';
import { EDGES, type Edge } from '../../src/core/notify/edges.ts';
import type { NotifyEntry, Subscriber } from '../../src/core/notify/notify-model.ts';
import { MOST_NOTIFY_TRIES, notifyDelayMs } from '../../src/core/notify/retry-delays.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { NotificationData } from '../../src/store/rows/errands/notification-rows.ts';
import { all } from '../../src/store/script.ts';
import { type Databases, fail, type WorldDatabase, worldOf } from './engine-world.ts';
import { ADA, inUnits, PERMANENT, range, requestWorld } from './request-world.ts';
import { simpleModel } from './simple-model.ts';

const to = (name: string, ...on: Edge[]): NotifyEntry => ({
  on,
  target: { kind: 'named', name },
  title: null,
  text: null,
});

/** A process that sends to receivers in memory. */
class Post implements ServerErrandHandler {
  readonly kind = 'notification';
  readonly retryMs = notifyDelayMs;
  readonly sent: string[] = [];
  readonly keys = new Set<string>();
  /** Receivers that refuse, and those that never answer. */
  readonly dead = new Set<string>();
  readonly hung = new Set<string>();

  async run({ data }: { data: unknown }, signal: AbortSignal): Promise<unknown> {
    const { facts, entry, key } = data as NotificationData;
    const name = entry.target.kind === 'named' ? entry.target.name : entry.target.kind;
    this.keys.add(key);
    if (this.dead.has(name)) throw new Error('connection refused');
    if (this.hung.has(name)) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    }
    this.sent.push(`${name} ${facts.event} ${facts.state}`);
    return null;
  }
}

interface Place {
  dir: string;
  database: WorldDatabase;
  clock: { now: number };
}

/** Notifications of edges, on any database. */
export function notificationBehaviour(databases: Databases): void {
  async function sender(
    { dir, database: { databaseUrl }, clock }: Place,
    post: Post,
    subscribers: Subscriber[] = [],
  ): Promise<ServedEngine> {
    const engine = await openEngine({
      dir,
      create: false,
      clock: () => clock.now,
      serverErrands: [post],
      subscribers,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
    });
    onTestFinished(() => engine.close());
    return engine;
  }

  /** What was ordered, as `receiver event`, oldest first. */
  async function ordered({ database }: Place): Promise<string[]> {
    const store = await database.openStore();
    try {
      const rows = await store.read(() =>
        all<{ data: string }>(`select data from errand where kind = 'notification' order by id`),
      );
      return rows.map(({ data }) => {
        const { facts, entry } = JSON.parse(data) as NotificationData;
        return `${entry.target.kind === 'named' ? entry.target.name : entry.target.kind} ${facts.event}`;
      });
    } finally {
      await store.close();
    }
  }

  async function failuresOf({ database }: Place): Promise<NotificationData['facts']['failures'][]> {
    const store = await database.openStore();
    try {
      const rows = await store.read(() =>
        all<{ data: string }>(`select data from errand where kind = 'notification' order by id`),
      );
      return rows.map(({ data }) => (JSON.parse(data) as NotificationData).facts.failures);
    } finally {
      await store.close();
    }
  }

  describe('a notification', () => {
    test('is ordered once for each edge: failed, recovered, finished', async () => {
      const notify = [to('all', ...EDGES), to('ends', 'finished'), to('bad', 'failed')];
      const world = await worldOf(simpleModel([{ name: 'a' }], { notify }), databases);
      const worker = await world.remoteWorker();
      await fail(worker, 1);
      expect(await ordered(world)).toEqual(['all failed', 'ends failed', 'bad failed']);
      await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      await worker.runReady();
      expect((await ordered(world)).slice(3)).toEqual(['all recovered', 'ends recovered']);
      const other = await world.another(simpleModel([{ name: 'a' }], { notify }));
      await (await other.remoteWorker()).runReady();
      expect((await ordered(world)).slice(5)).toEqual(['all finished', 'ends finished']);
    });

    test('has how the jobs ended that failed', async () => {
      const notify = [to('all', 'failed')];
      const world = await worldOf(simpleModel([{ name: 'a' }], { notify }), databases);
      const worker = await world.remoteWorker();
      await fail(worker, 3);
      await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      await fail(worker, 4);
      expect(await failuresOf(world)).toEqual([
        [{ name: 'a', reason: 'exit 3, no retry applies' }],
        [{ name: 'a', reason: 'exit 4, no retry applies' }],
      ]);
    });

    test('of a wait for a decision is ordered when the first job waits, and again after all were decided', async () => {
      const jobs = [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a'] }];
      const model = simpleModel(jobs, { usePendingFailed: true, notify: [to('all', ...EDGES)] });
      const world = await worldOf(model, databases);
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1, b: 1 });
      expect(await ordered(world)).toEqual(['all waiting']);
      const decide = async (job: string, action: 'retry' | 'fail') =>
        world.engine.resolve(world.workflowId, {
          actor: 'ann',
          decisions: [{ job_id: (await world.job(job)).id, action, reason: 'x' }],
        });
      await decide('a', 'retry');
      await decide('b', 'retry');
      await worker.runReady({ b: 1 });
      expect(await ordered(world)).toEqual(['all waiting', 'all waiting']);
      await decide('b', 'retry');
      await worker.runReady();
      await worker.runReady();
      expect((await ordered(world)).slice(2)).toEqual(['all recovered']);
    });

    test('is sent once by one of two servers, and once more only by a try after a failed one, with the same key', async () => {
      const notify = [to('first', 'finished'), to('second', 'finished')];
      const world = await worldOf(simpleModel([{ name: 'a' }], { notify }), databases);
      await (await world.remoteWorker()).runReady();
      const post = new Post();
      post.dead.add('second');
      const servers = [await sender(world, post), await sender(world, post)];
      const whose = { workflow_id: world.workflowId };
      await Promise.all(servers.map((each) => each.sendNotifications(whose)));
      await expect.poll(() => post.sent).toEqual(['first finished completed']);
      await expect
        .poll(async () => (await unsent(servers[0]!, whose))[0]?.problem)
        .toBe('connection refused');
      post.dead.clear();
      await servers[0]!.sendNotifications(whose);
      expect(post.sent).toHaveLength(1);
      world.clock.now += notifyDelayMs(1)!;
      await servers[1]!.sendNotifications(whose);
      await expect.poll(() => post.sent).toEqual(['first finished completed', 'second finished completed']);
      expect(post.keys.size).toBe(1);
      await expect.poll(() => unsent(servers[0]!, whose)).toEqual([]);
      const events = (await world.events()).filter(({ type }) => type.startsWith('notification'));
      expect(events.map(({ type, data }) => [type, data.target])).toEqual([
        ['notification_sent', 'first'],
        ['notification_sent', 'second'],
      ]);
    });

    test('to a receiver that never answers keeps no other one from being sent, nor the workflow from being deleted', async () => {
      const notify = [to('hung', 'finished'), to('alive', 'finished')];
      const world = await worldOf(simpleModel([{ name: 'a' }], { notify }), databases);
      const worker = await world.remoteWorker();
      await worker.runReady();
      await worker.exchange({ leaving: true });
      await world.engine.retireWorker(worker.id);
      const post = new Post();
      post.hung.add('hung');
      const engine = await sender(world, post);
      await engine.sendNotifications({ workflow_id: world.workflowId });
      await expect.poll(() => post.sent).toEqual(['alive finished completed']);
      await world.engine.deleteWorkflow(world.workflowId, ADA);
    });

    test('is given up after the last try, with an event', async () => {
      const world = await worldOf(
        simpleModel([{ name: 'a' }], { notify: [to('dead', 'finished')] }),
        databases,
      );
      await (await world.remoteWorker()).runReady();
      const post = new Post();
      post.dead.add('dead');
      const engine = await sender(world, post);
      const whose = { workflow_id: world.workflowId };
      for (let tries = 1; tries <= MOST_NOTIFY_TRIES; tries += 1) {
        await engine.sendNotifications(whose);
        const rest = tries === MOST_NOTIFY_TRIES ? [] : [{ tries, problem: 'connection refused' }];
        await expect.poll(() => unsent(engine, whose)).toMatchObject(rest);
        world.clock.now += notifyDelayMs(tries) ?? 0;
      }
      expect((await world.events()).at(-1)).toMatchObject({
        type: 'notification_failed',
        reason: 'finished to dead: connection refused',
      });
    });

    test('goes to targets of the configuration of the driver, and what the spec says of one takes precedence', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }], { notify: [to('ops', 'held')] }), databases);
      const subscribers: Subscriber[] = [
        { name: 'ops', on: [...EDGES] },
        { name: 'me', on: ['finished'] },
      ];
      const post = new Post();
      const engine = await sender(world, post, subscribers);
      await engine.subscribe({ workflow_id: world.workflowId });
      await (await world.remoteWorker()).runReady();
      expect(await ordered(world)).toEqual(['me finished']);
      // A server sends what is shared, and no more.
      await engine.sendNotifications('shared');
      expect(post.sent).toEqual([]);
      await engine.sendNotifications({ workflow_id: world.workflowId });
      await expect.poll(() => post.sent).toEqual(['me finished completed']);
    });

    test('of a cancel is sent', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }], { notify: [to('all', ...EDGES)] }), databases);
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      const post = new Post();
      await (await sender(world, post)).sendNotifications({ workflow_id: world.workflowId });
      await expect.poll(() => post.sent).toEqual(['all finished canceled']);
    });

    test('of a request reports holds and its end, not the ends of its rounds', async () => {
      const world = await requestWorld(databases);
      const post = new Post();
      const engine = await sender(world, post, [{ name: 'ops', on: [...EDGES] }]);
      await engine.start();
      await world.submit(range({ units: 2 }), { error_max_rescue_attempts: 0 });
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([1], PERMANENT))).toBe('HELD');
      expect(await ordered(world)).toEqual(['ops held']);
      await world.engine.releaseRequest('sim', ADA);
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect(await ordered(world)).toEqual(['ops held', 'ops recovered']);
      await engine.sendNotifications('shared');
      // The second one follows the first one, which goes to the same place.
      await expect.poll(() => post.sent).toEqual(['ops held HELD', 'ops recovered COMPLETED']);
      await expect.poll(() => world.history()).toContain('notification_sent');
    });
  });
}

function unsent(engine: ServedEngine, whose: { workflow_id: number }) {
  const now = new AbortController();
  now.abort();
  return engine.finishNotifications(whose, now.signal);
}
