import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Exchange } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import type { NotifyEntry } from '../../src/core/notify/notify-model.ts';
import { TRACES } from '../../src/core/notify/notify-model.ts';
import { MOST_NOTIFY_TRIES, notifyDelayMs } from '../../src/core/notify/retry-delays.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { notificationHandler } from '../../src/notify/notification-handler.ts';
import { all } from '../../src/store/script.ts';
import { collector, type ReceivedSpan } from '../notify/collector.ts';
import { webhook } from '../notify/receivers.ts';
import { type Databases, type EngineWorld, fail, NOTHING, PLENTY, worldOf } from './engine-world.ts';
import { inUnits, PERMANENT, range, requestWorld } from './request-world.ts';
import { simpleModel } from './simple-model.ts';

const ERROR = 2;
const TEN_SECONDS = 10_000;
const PATIENCE = { timeout: 30_000 };

interface Place {
  dir: string;
  database: { databaseUrl?: string };
  clock: { now: number };
}

/** A process that sends spans to the collector. */
async function tracer({ dir, database, clock }: Place, url: string): Promise<ServedEngine> {
  const { databaseUrl } = database;
  const traces = { endpoint: `${url}/v1/traces`, headers: {}, service_name: 'holdfast', attributes: {} };
  const place = { smtp: null, traces, version: () => '1.2.3', secrets: {}, env: {} };
  const engine = await openEngine({
    dir,
    create: false,
    clock: () => clock.now,
    serverErrands: [notificationHandler([], place)],
    subscribers: [TRACES],
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  onTestFinished(() => engine.close());
  return engine;
}

function finish(engine: ServedEngine, { workflowId }: EngineWorld) {
  return engine.finishNotifications({ workflow_id: workflowId }, AbortSignal.timeout(20_000));
}

/** What has not been sent by now. */
function unsent(engine: ServedEngine, { workflowId }: EngineWorld) {
  return engine.finishNotifications({ workflow_id: workflowId }, AbortSignal.abort());
}

const named = (spans: readonly ReceivedSpan[]) =>
  spans.map(({ name }) => name).filter((name) => !name.endsWith(' waiting'));
const ids = (spans: readonly ReceivedSpan[]) => spans.map(({ id }) => id);

/** Spans of runs and attempts, on any database. */
export function traceBehaviour(databases: Databases): void {
  async function traced(jobs: { name: string; after?: string[] }[], more: object = {}) {
    const world = await worldOf(simpleModel(jobs, more), databases);
    const { url, spans, requests, answer } = await collector();
    const engine = await tracer(world, url);
    await engine.subscribe({ workflow_id: world.workflowId });
    return { world, engine, url, spans, requests, answer, worker: await world.remoteWorker() };
  }

  describe('a trace', () => {
    test('has a span for the run and one for each attempt, with how it was decided', async () => {
      const { world, engine, spans, worker } = await traced([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      world.clock.now += 4000;
      await fail(worker, 7);
      expect(await finish(engine, world)).toEqual([]);
      const run = spans.find(({ parent }) => parent === null)!;
      const attempt = spans.find(({ name }) => name === 'a')!;
      const waiting = spans.find(({ name }) => name === 'a waiting')!;
      expect(spans).toHaveLength(3);
      expect(run).toMatchObject({
        code: ERROR,
        message: '1 of 2 jobs failed',
        attributes: {
          'holdfast.run.state': 'failed',
          'holdfast.workflow.id': world.workflowId,
          'holdfast.run.id': 1,
          'holdfast.jobs.total': 2,
          'holdfast.jobs.canceled': 1,
        },
      });
      expect(attempt).toMatchObject({
        trace: run.trace,
        parent: run.id,
        code: ERROR,
        attributes: {
          'holdfast.job.name': 'a',
          'holdfast.attempt': 1,
          'process.exit.code': 7,
          'error.type': 'exit',
          'host.name': 'elsewhere',
          'holdfast.site': 'local',
        },
      });
      expect(attempt.message).toBe(attempt.attributes['holdfast.reason']);
      expect(attempt.attributes['holdfast.rule']).toEqual(expect.any(String));
      expect(waiting).toMatchObject({ trace: run.trace, parent: run.id, code: 0, end: attempt.start });
      expect(waiting.end - waiting.start).toBe(4000);
      expect(run.start).toBe(waiting.start);
    });

    test('has each span once when a run that has ended is resumed', async () => {
      const { world, engine, spans, worker } = await traced([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      await fail(worker, 1);
      await finish(engine, world);
      await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      await worker.runReady();
      await worker.runReady();
      await finish(engine, world);
      const run = spans.find(({ parent }) => parent === null)!;
      expect(named(spans)).toEqual(['a', run.name, 'a', 'b', `${run.name} resumed`]);
      expect(new Set(ids(spans)).size).toBe(spans.length);
      expect(new Set(spans.map(({ trace }) => trace))).toEqual(new Set([run.trace]));
      expect(spans.find(({ name }) => name.endsWith('resumed'))!.parent).toBe(run.id);
    });

    test('of the next run is another one', async () => {
      const { world, engine, spans, worker } = await traced([{ name: 'a' }]);
      await worker.runReady();
      world.passLease();
      await world.engine.resetStatus(world.workflowId, { actor: 'ann' });
      await (await world.remoteWorker()).runReady();
      await finish(engine, world);
      const runs = spans.filter(({ parent }) => parent === null);
      expect(runs.map(({ attributes }) => attributes['holdfast.run.id'])).toEqual([1, 2]);
      expect(new Set(spans.map(({ trace }) => trace)).size).toBe(2);
      expect(named(spans).filter((name) => name === 'a')).toHaveLength(2);
    });

    test('of an open run is sent while it continues, and is completed at its end', async () => {
      const { world, engine, spans, worker } = await traced([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      const whose = { workflow_id: world.workflowId };
      await engine.sendNotifications(whose);
      await worker.runReady();
      await engine.sendNotifications(whose);
      expect(spans).toEqual([]);
      world.clock.now += TEN_SECONDS;
      await engine.sendNotifications(whose);
      await expect.poll(() => named(spans), PATIENCE).toEqual(['a']);
      world.clock.now += TEN_SECONDS;
      // Nothing has ended since.
      await engine.sendNotifications(whose);
      await worker.runReady();
      await finish(engine, world);
      expect(named(spans)).toEqual(['a', 'b', spans.find(({ parent }) => parent === null)!.name]);
      expect(new Set(ids(spans)).size).toBe(spans.length);
      // What was sent is not kept, however long the run took.
      const store = await world.database.openStore();
      const rows = await store.read(() => all(`select id from errand where target = 'traces'`));
      await store.close();
      expect(rows).toHaveLength(1);
    });

    test('that a collector does not take is sent later, by another process too, and each span once', async () => {
      const { world, engine, url, spans, answer, worker } = await traced([{ name: 'a' }]);
      answer.status = 503;
      await worker.runReady();
      await engine.sendNotifications({ workflow_id: world.workflowId });
      await expect
        .poll(() => unsent(engine, world), PATIENCE)
        .toMatchObject([
          { event: 'spans', target: 'traces', tries: 1, problem: expect.stringMatching(/503/) },
        ]);
      await engine.close();
      answer.status = 200;
      world.clock.now += notifyDelayMs(1)!;
      expect(await finish(await tracer(world, url), world)).toEqual([]);
      expect(named(spans)).toHaveLength(2);
      expect(new Set(ids(spans)).size).toBe(spans.length);
      expect((await world.events()).filter(({ type }) => type.startsWith('notification'))).toEqual([]);
    });

    test('of many attempts is sent in parts, and is continued where a try failed', async () => {
      const jobs = Array.from({ length: 900 }, (_, index) => ({ name: `j${index}` }));
      const { world, engine, spans, requests, answer, worker } = await traced(jobs);
      await worker.runReady();
      answer.onRequest = () => {
        answer.status = requests.length === 1 ? 503 : 200;
      };
      await engine.sendNotifications({ workflow_id: world.workflowId });
      await expect
        .poll(() => unsent(engine, world), PATIENCE)
        .toMatchObject([{ tries: 1, problem: expect.stringMatching(/503/) }]);
      expect(named(spans)).toHaveLength(500);
      world.clock.now += notifyDelayMs(1)!;
      expect(await finish(engine, world)).toEqual([]);
      expect(named(spans)).toHaveLength(901);
      expect(new Set(ids(spans)).size).toBe(spans.length);
      expect(requests).toHaveLength(3);
    });

    test('that is given up leaves an event', async () => {
      const { world, engine, requests, answer, worker } = await traced([{ name: 'a' }]);
      answer.status = 500;
      // So that each failure says which one it is.
      answer.onRequest = () => {
        answer.body = `no ${requests.length + 1}`;
      };
      await worker.runReady();
      for (let tries = 1; tries <= MOST_NOTIFY_TRIES; tries += 1) {
        await engine.sendNotifications({ workflow_id: world.workflowId });
        const problem = expect.stringMatching(new RegExp(`^HTTP 500 no ${tries}$`));
        const rest = tries === MOST_NOTIFY_TRIES ? [] : [{ tries, problem }];
        await expect.poll(() => unsent(engine, world), PATIENCE).toMatchObject(rest);
        world.clock.now += notifyDelayMs(tries) ?? 0;
      }
      expect((await world.events()).at(-1)).toMatchObject({
        type: 'notification_failed',
        reason: expect.stringMatching(/^spans to traces: HTTP 500/),
      });
    });

    test('of which a collector rejects spans is not sent again, and leaves an event', async () => {
      const { world, engine, answer, requests, worker } = await traced([{ name: 'a' }]);
      answer.body = JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } });
      await worker.runReady();
      expect(await finish(engine, world)).toEqual([]);
      expect(requests).toHaveLength(1);
      expect((await world.events()).at(-1)).toMatchObject({
        type: 'notification_failed',
        reason: 'spans to traces: 2 spans were rejected: too old',
      });
    });

    test('for a collector that never answers delays no notification', async () => {
      const hook = await webhook();
      const entry: NotifyEntry = {
        on: ['finished'],
        target: { kind: 'webhook', url: hook.url },
        title: null,
        text: null,
      };
      const { world, engine, requests, answer, worker } = await traced([{ name: 'a' }], { notify: [entry] });
      answer.status = null;
      await worker.runReady();
      await engine.sendNotifications({ workflow_id: world.workflowId });
      await expect.poll(() => hook.received.map(({ body }) => body.event), PATIENCE).toEqual(['finished']);
      await expect.poll(() => requests.length, PATIENCE).toBe(1);
      expect(await unsent(engine, world)).toMatchObject([{ event: 'spans' }]);
    });

    test('of a round says which request it is of', async () => {
      const world = await requestWorld(databases);
      const { url, spans } = await collector();
      const engine = await tracer(world, url);
      await engine.start();
      await world.submit(range({ units: 2 }), { error_max_rescue_attempts: 0 });
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([1], PERMANENT))).toBe('HELD');
      await engine.sendNotifications('shared');
      await expect.poll(() => spans.filter(({ parent }) => parent === null), PATIENCE).toHaveLength(1);
      expect(spans.find(({ parent }) => parent === null)!.attributes).toMatchObject({
        'holdfast.request': 'sim@1',
        'holdfast.owner': 'test',
      });
    });

    test('is joined by the program of an attempt, which is given the span of its attempt', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const { url, spans } = await collector();
      const engine = await tracer(world, url);
      await engine.subscribe({ workflow_id: world.workflowId });
      const { id } = await engine.registerWorker({ ...ownIdentity(), host: 'elsewhere' });
      await engine.adopt(world.workflowId, id);
      const exchange = (part: Partial<Exchange>) =>
        engine.exchange(id, { ...NOTHING, ...part, workflow_id: world.workflowId });
      const { claims } = await exchange({ capacity: PLENTY });
      const { token, traceparent } = claims[0]!;
      const now = world.clock.now;
      await exchange({
        finished: [
          {
            token,
            started_at_ms: now,
            finished_at_ms: now,
            outcome: outcome({ exit_code: 0 }),
            usage: null,
          },
        ],
      });
      await finish(engine, world);
      const attempt = spans.find(({ name }) => name === 'a')!;
      expect(traceparent).toBe(`00-${attempt.trace}-${attempt.id}-01`);
      const untraced = await worldOf(simpleModel([{ name: 'a' }]), databases);
      expect((await (await untraced.remoteWorker()).claim())[0]).not.toHaveProperty('traceparent');
    });
  });
}
