import { describe, expect, test } from 'vitest';
import type { Claim, ExchangeResult } from '../../src/contract/records/exchange.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import type { PostResult } from '../../src/core/job/post-result.ts';
import type { UserDataModel, UserDataUse } from '../../src/core/model/workflow-model.ts';
import { type EngineWorld, NOTHING, type WorkerHand, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

type Job = SimpleJob & { userData?: Partial<UserDataUse> };

function valueWorld(
  values: (Partial<UserDataModel> & { name: string })[],
  jobs: Job[],
): Promise<EngineWorld> {
  const model = simpleModel(jobs);
  model.userData = values.map((value) => ({ data: null, isEphemeral: false, ...value }));
  for (const [index, { userData }] of jobs.entries()) {
    model.jobs[index]!.config.user_data = { inputs: [], outputs: [], optional: [], ...userData };
  }
  return worldOf(model);
}

function finish(
  world: EngineWorld,
  worker: WorkerHand,
  claim: Claim,
  user_data: Record<string, unknown>,
  more: { outcome?: Outcome } = {},
): Promise<ExchangeResult> {
  const { now } = world.clock;
  const report = { token: claim.token, started_at_ms: now, finished_at_ms: now, usage: null, user_data };
  return world.engine.exchange(worker.id, {
    ...NOTHING,
    finished: [{ ...report, outcome: outcome({ exit_code: 0 }), ...more }],
    workflow_id: world.workflowId,
  });
}

async function only(worker: WorkerHand): Promise<Claim> {
  const claims = await worker.claim();
  expect(claims).toHaveLength(1);
  return claims[0]!;
}

const PRODUCER: Job = { name: 'set', userData: { outputs: ['v'] } };
const CONSUMER: Job = { name: 'read', after: ['set'], userData: { inputs: ['v'] } };

describe('a claim', () => {
  test('carries the values that the job reads, and no others', async () => {
    const world = await valueWorld(
      [
        { name: 'a', data: { k: [1, 'é'] } },
        { name: 'b', data: 0 },
        { name: 'none' },
        { name: '__proto__', data: 'own' },
      ],
      [
        { name: 'all', userData: { inputs: ['a', 'b', 'none', '__proto__'] } },
        { name: 'one', userData: { inputs: ['b'] } },
        { name: 'nothing' },
      ],
    );
    const [all, one, nothing] = await (await world.remoteWorker()).claim();
    expect(Object.entries(all!.user_data)).toEqual([
      ['a', { k: [1, 'é'] }],
      ['b', 0],
      ['__proto__', 'own'],
    ]);
    expect(one!.user_data).toEqual({ b: 0 });
    expect(nothing!.user_data).toEqual({});
  });

  test('carries any number of values', async () => {
    const names = Array.from({ length: 1_234 }, (_, index) => `v${index}`);
    const world = await valueWorld(
      names.map((name, data) => ({ name, data })),
      [{ name: 'all', userData: { inputs: names } }],
    );
    const claim = await only(await world.remoteWorker());
    expect(Object.keys(claim.user_data)).toEqual(names);
    expect(claim.user_data.v1233).toBe(1233);
  });

  test('is never given the values of another workflow', async () => {
    const world = await valueWorld(
      [{ name: 'v', data: 'mine' }],
      [{ name: 'a', userData: { inputs: ['v'] } }],
    );
    const other = {
      ...simpleModel([{ name: 'b' }]),
      userData: [{ name: 'v', data: 'other', isEphemeral: false }],
    };
    await world.engine.createWorkflow({ model: other, cwd: '/', output_dir: 'o', actor: 'test' });
    expect((await only(await world.remoteWorker())).user_data).toEqual({ v: 'mine' });
  });
});

describe('what a job sets', () => {
  test('is there for the jobs after it', async () => {
    const world = await valueWorld([{ name: 'v', data: 'first' }], [PRODUCER, CONSUMER]);
    const worker = await world.remoteWorker();
    await finish(world, worker, await only(worker), { v: { text: `it's "$(x)"\n` } });
    expect((await only(worker)).user_data).toEqual({ v: { text: `it's "$(x)"\n` } });
  });

  test('is not stored with a failure, not even if the attempt had written it', async () => {
    const world = await valueWorld(
      [{ name: 'v', data: 'first' }],
      [
        { ...PRODUCER, retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } },
        { name: 'beside', userData: { inputs: ['v'] }, after: ['set'], runsAfterFailure: true },
      ],
    );
    const worker = await world.remoteWorker();
    const failed = { outcome: outcome({ exit_code: 0, missing_outputs: ['user_data w'] }) };
    await finish(world, worker, await only(worker), { v: 'second' }, failed);
    await finish(world, worker, await only(worker), { v: 'third' }, { outcome: outcome({ exit_code: 1 }) });
    expect((await world.job('set')).status).toBe('failed');
    expect((await only(worker)).user_data).toEqual({ v: 'first' });
  });

  test('waits for the word of its post script', async () => {
    const world = await valueWorld(
      [{ name: 'v', data: 'first' }],
      [{ ...PRODUCER, post: 'judge' }, CONSUMER],
    );
    const worker = await world.remoteWorker();
    const claim = await only(worker);
    const { errands } = await finish(world, worker, claim, { v: 'second' });
    expect(errands).toMatchObject([{ kind: 'post', token: claim.token }]);
    expect(await worker.claim()).toEqual([]);
    const post = { exit_code: 0 } as PostResult;
    await worker.exchange({ errands: [{ kind: 'post', id: errands[0]!.id, post }] });
    expect((await only(worker)).user_data).toEqual({ v: 'second' });
  });

  test('is only what it declared, and a late report changes nothing', async () => {
    const world = await valueWorld(
      [{ name: 'v' }, { name: 'w', data: 'kept' }],
      [PRODUCER, { ...CONSUMER, userData: { inputs: ['v', 'w'] } }],
    );
    const worker = await world.remoteWorker();
    const claim = await only(worker);
    await finish(world, worker, claim, { v: 1, w: 'taken', unknown: 2 });
    expect((await finish(world, worker, claim, { v: 3 })).rejected).toEqual([claim.token]);
    expect((await only(worker)).user_data).toEqual({ v: 1, w: 'kept' });
  });
});

describe('a new run', () => {
  const values = [
    { name: 'v', data: 'first', isEphemeral: true },
    { name: 'none', isEphemeral: true },
    { name: 'kept', data: 'first' },
  ];
  const all = ['v', 'none', 'kept'];
  const later = { v: 'later', none: 'later', kept: 'later' };

  /** `set` has set everything, `read` has failed. */
  async function ranOnce(): Promise<EngineWorld> {
    const world = await valueWorld(values, [
      { name: 'set', userData: { inputs: all, outputs: all } },
      { ...CONSUMER, userData: { inputs: all } },
    ]);
    const worker = await world.remoteWorker();
    await finish(world, worker, await only(worker), later);
    await finish(world, worker, await only(worker), {}, { outcome: outcome({ exit_code: 1 }) });
    await world.engine.retireWorker(worker.id);
    return world;
  }

  test('puts ephemeral values back to their first, and keeps the others', async () => {
    const world = await ranOnce();
    await world.engine.resetStatus(world.workflowId, { actor: 'test' });
    const claim = await only(await world.remoteWorker());
    expect([claim.job_name, claim.user_data]).toEqual(['set', { v: 'first', kept: 'later' }]);
  });

  test('of the failed jobs keeps what a job that stays completed has set', async () => {
    const world = await ranOnce();
    await world.engine.resetStatus(world.workflowId, { actor: 'test', failed_only: true });
    const claim = await only(await world.remoteWorker());
    expect([claim.job_name, claim.user_data]).toEqual(['read', later]);
  });

  test('that is only tried out changes nothing', async () => {
    const world = await ranOnce();
    await world.engine.resetStatus(world.workflowId, { actor: 'test', dry_run: true });
    await world.engine.resetStatus(world.workflowId, { actor: 'test', failed_only: true });
    expect((await only(await world.remoteWorker())).user_data).toEqual(later);
  });
});
