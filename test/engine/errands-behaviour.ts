import { describe, expect, test } from 'vitest';
import type { ErrandOrder, ErrandReport } from '../../src/contract/records/errand.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { crashedPost, withoutTail } from '../../src/core/job/post-result.ts';
import type { BuiltinPost } from '../../src/core/model/workflow-model.ts';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import type { RulebookRule } from '../../src/core/request/request-model.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { action } from './actions-behaviour.ts';
import { type Databases, type EngineWorld, PLENTY, WorkerHand, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Outputs are ordered for requests, not for workflows. */
type ErrandKind = Exclude<ErrandOrder['kind'], 'outputs'>;

const KINDS: ErrandKind[] = ['post', 'recovery', 'evaluation', 'action'];
const SCRIPTS: ErrandKind[] = ['post', 'recovery', 'action'];

const RULE = { ...DEFAULT_RULE, recoveryScript: 'fix.sh', recoveryTimeoutMs: 90_000 };

const JOB: Record<ErrandKind, SimpleJob> = {
  post: { name: 'a', post: 'judge' },
  recovery: { name: 'a', handler: 'fix' },
  evaluation: { name: 'a', onFail: { goto_js: 'null' } },
  action: { name: 'a' },
};

/** How the errand of this kind ends if nothing goes wrong. */
function reportOf({ kind, id }: ErrandOrder): ErrandReport {
  switch (kind) {
    case 'post':
      return { kind, id, post: { ...crashedPost(''), exit_code: 0, problem: null } };
    case 'evaluation':
      return {
        kind,
        id,
        evaluations: [{ key: 'goto_js', result: { ok: true, value: null }, ms: 1, inputs: {} }],
      };
    default:
      return { kind, id, outcome: outcome({ exit_code: 0 }) };
  }
}

/** What can be seen of errands while workers come and go, on any database. */
export function errandBehaviour(databases: Databases): void {
  const makeWorld = (kind: ErrandKind) =>
    worldOf(
      simpleModel([JOB[kind], { name: 'b', after: ['a'] }], {
        handlers: [{ name: 'fix', rules: [{ ...RULE, exitCodes: [[10, 10]] }] }],
        ...(kind === 'action' && { actions: [action('on_workflow_start'), action('on_workflow_complete')] }),
      }),
      databases,
    );

  /** Has the worker do everything up to the errand, which it is given. */
  async function order(worker: WorkerHand): Promise<ErrandOrder> {
    const { claims, errands } = await worker.exchange({ capacity: PLENTY });
    await worker.exchange({ started: claims });
    if (errands.length > 0) return errands[0]!;
    const ended = { claim: claims[0]!, outcome: outcome({ exit_code: 10 }) };
    return (await worker.exchange({ finished: [ended] })).errands[0]!;
  }

  async function underWay(kind: ErrandKind) {
    const world = await makeWorld(kind);
    const worker = await world.remoteWorker();
    const errand = await order(worker);
    expect(errand.kind).toBe(kind);
    return { world, worker, errand };
  }

  const running = async (world: EngineWorld) => (await world.engine.status(world.workflowId)).errands;

  describe('an errand', () => {
    test.each(KINDS)('is listed by status while it runs: %s', async (kind) => {
      const { world, worker, errand } = await underWay(kind);
      const about =
        kind === 'action'
          ? {
              job_id: null,
              name: null,
              attempt_id: null,
              trigger: 'on_workflow_start',
              timeout_ms: 3_600_000,
            }
          : { name: 'a', attempt_id: 1, trigger: null };
      expect(await running(world)).toMatchObject([
        {
          id: errand.id,
          kind,
          worker_id: worker.id,
          started_at_ms: world.clock.now,
          cancel_requested: false,
          ...about,
        },
      ]);
      await worker.exchange({ errands: [reportOf(errand)] });
      expect(await running(world)).toEqual([]);
    });

    test.each([
      ['post', /^its post script has been running for 5s of at most 1s/, /decides about the attempt/],
      ['recovery', /^its recovery script has been running for 5s of at most 1m30s/, /is tried again/],
      ['evaluation', /^its code has been running for 5s/, /what the code returns decides/],
    ] as const)('is explained while its job waits for it: %s', async (kind, headline, next) => {
      const { world, worker, errand } = await underWay(kind);
      world.clock.now += 5000;
      const explained = await world.engine.explain(world.workflowId, 'a');
      expect(explained.headline).toMatch(headline);
      expect(explained.next).toMatch(next);
      await worker.exchange({ errands: [reportOf(errand)] });
      const { headline: after } = await world.engine.explain(world.workflowId, 'a');
      expect(after).not.toMatch(/^its /);
    });

    test.each(KINDS)('is handed out once, and reported once: %s', async (kind) => {
      const { world, worker, errand } = await underWay(kind);
      expect((await worker.exchange({})).errands).toEqual([]);
      await worker.exchange({ errands: [reportOf(errand)] });
      const shown = [await world.events(), await world.attempts()];
      await worker.exchange({ errands: [reportOf(errand)] });
      expect([await world.events(), await world.attempts()]).toEqual(shown);
    });

    test.each(KINDS)("is nobody else's to report: %s", async (kind) => {
      const { world, worker, errand } = await underWay(kind);
      const { id } = await world.engine.registerWorker({ ...ownIdentity(), host: 'third' });
      await new WorkerHand(world, id).exchange({ errands: [reportOf(errand)] });
      expect(await running(world)).toMatchObject([{ id: errand.id, worker_id: worker.id }]);
    });

    test.each(SCRIPTS)('that is a script does not run again after its worker died: %s', async (kind) => {
      const { world, worker, errand } = await underWay(kind);
      world.passLease();
      const next = await world.remoteWorker();
      expect(await running(world)).toEqual([]);
      const { errands } = await next.exchange({ capacity: { ...PLENTY, slots: 0 } });
      expect(errands).toEqual([]);
      const late = worker.exchange({ errands: [reportOf(errand)] });
      await expect(late).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
    });

    test('that evaluates code goes to the next worker when its worker died, and decides as it would have', async () => {
      const { world, errand } = await underWay('evaluation');
      world.passLease();
      const next = await world.remoteWorker();
      expect((await world.engine.explain(world.workflowId, 'a')).headline).toMatch(
        /^its code waits for a worker to evaluate it/,
      );
      const { errands } = await next.exchange({ capacity: { ...PLENTY, slots: 0 } });
      expect(errands).toMatchObject([{ kind: 'evaluation', token: (errand as { token: number }).token }]);
      expect(errands[0]!.id).not.toBe(errand.id);
      await next.exchange({ errands: [reportOf(errands[0]!)] });
      expect(await world.job('a')).toMatchObject({ status: 'failed', failure_count: 1 });
    });

    describe('that is the built-in post step', () => {
      const rule: RulebookRule = {
        ...RULE,
        exitCodes: [[10, 10]],
        category: 'permanent',
        reportCodes: [[8021, 8021]],
        message: null,
        holds: null,
        badItems: 'none',
      };
      const rules = [rule];
      const builtin = (post: Partial<BuiltinPost> = {}) =>
        worldOf(
          simpleModel(
            [{ name: 'a', post: { rulebook: 'rulebook', ...post }, retry: { max_retries_failure: 3 } }],
            { handlers: [{ name: 'rulebook', rules }] },
          ),
          databases,
        );
      const said = { ...crashedPost(''), problem: null, reason: 'rule 1', report_code: 8021 };

      test('is ordered with its rulebook and the failures before', async () => {
        const world = await builtin();
        const worker = await world.remoteWorker();
        const first = await order(worker);
        expect(first).toEqual({
          kind: 'post',
          id: first.id,
          token: (first as { token: number }).token,
          failures_before: 0,
          rulebook: { name: 'rulebook', rules: JSON.stringify(rules) },
        });
        const post = { ...said, exit_code: 1, delay_ms: 0, bad_inputs: ['ünï'] };
        await worker.exchange({ errands: [{ kind: 'post', id: first.id, post }] });
        expect(await order(worker)).toMatchObject({ kind: 'post', failures_before: 1 });
        expect(await world.attempts()).toMatchObject([
          { post: withoutTail(post), verdict: 'retry' },
          { post: null },
        ]);
      });

      test('has codes of its own for permanent failures and aborts', async () => {
        const world = await builtin({ permanent_code: 77, abort_code: 78 });
        const worker = await world.remoteWorker();
        const { id } = await order(worker);
        await worker.exchange({ errands: [{ kind: 'post', id, post: { ...said, exit_code: 77 } }] });
        expect(await world.job('a')).toMatchObject({ status: 'failed' });
        const [attempt] = await world.attempts();
        expect(attempt).toMatchObject({ category: 'permanent', rule: 'final', post: { report_code: 8021 } });
        const { attempts } = await world.engine.explain(world.workflowId, 'a');
        expect(attempts[0]!.walk.find(({ rule }) => rule === 'post')!.because).toBe(
          'the post script exited with 77 and calls it permanent: rule 1',
        );
      });

      test('aborts by its own code, and 42 has no meaning then', async () => {
        const world = await builtin({ permanent_code: 77, abort_code: 78 });
        const worker = await world.remoteWorker();
        const { id } = await order(worker);
        await worker.exchange({
          errands: [{ kind: 'post', id, post: { ...said, exit_code: 42, delay_ms: 0 } }],
        });
        expect(await world.job('a')).toMatchObject({ status: 'ready' });
        const again = await order(worker);
        await worker.exchange({
          errands: [{ kind: 'post', id: again.id, post: { ...said, exit_code: 78 } }],
        });
        expect((await world.attempts())[1]).toMatchObject({ verdict: 'abort' });
      });

      test('goes to the next worker when its worker died, with all that this one needs', async () => {
        const world = await builtin();
        const dead = await world.remoteWorker();
        await order(dead);
        world.passLease();
        const next = await world.remoteWorker();
        const { errands } = await next.exchange({ capacity: { ...PLENTY, slots: 0 } });
        expect(errands).toMatchObject([
          {
            kind: 'post',
            rulebook: { name: 'rulebook' },
            left: {
              job_name: 'a',
              attempt_id: 1,
              cwd: world.dir,
              config: { post: { kind: 'builtin' } },
              observed: { outcome: { exit_code: 10 } },
            },
          },
        ]);
        const { id } = errands[0]!;
        await next.exchange({ errands: [{ kind: 'post', id, post: { ...said, exit_code: 42 } }] });
        expect(await world.job('a')).toMatchObject({ status: 'failed', failure_count: 1 });
        expect((await world.attempts())[0]).toMatchObject({ post: { exit_code: 42, reason: 'rule 1' } });
      });

      test('goes to a third worker when the second was killed with it', async () => {
        const world = await builtin();
        await order(await world.remoteWorker());
        world.passLease();
        const second = await world.remoteWorker();
        const { errands } = await second.exchange({ capacity: { ...PLENTY, slots: 0 } });
        await second.exchange({ errands: [{ kind: 'post', id: errands[0]!.id, post: null }] });
        const { errands: again } = await second.exchange({ capacity: { ...PLENTY, slots: 0 } });
        expect(again).toEqual(errands);
        world.passLease();
        const third = await world.remoteWorker();
        const { errands: left } = await third.exchange({ capacity: { ...PLENTY, slots: 0 } });
        expect(left).toMatchObject([{ kind: 'post', left: { attempt_id: 1 } }]);
      });
    });

    test.each(SCRIPTS)('that is a script is stopped by a cancel: %s', async (kind) => {
      const { world, worker, errand } = await underWay(kind);
      expect((await worker.exchange({})).cancel_errands).toEqual([]);
      const request = { actor: 'ann' };
      const preview = await world.engine.cancel(world.workflowId, { ...request, dry_run: true });
      const result = await world.engine.cancel(world.workflowId, request);
      const actions = kind === 'action' ? [errand.id] : [];
      expect([preview.actions, result.actions]).toEqual([actions, actions]);
      expect((await worker.exchange({})).cancel_errands).toEqual([errand.id]);
      const canceled = outcome({ canceled: true, signal: 'SIGTERM' });
      const { id } = errand;
      await worker.exchange({
        errands: [
          kind === 'post'
            ? { kind, id, post: crashedPost('canceled') }
            : { kind: kind as 'recovery' | 'action', id, outcome: canceled },
        ],
      });
      expect((await worker.exchange({})).cancel_errands).toEqual([]);
      expect(await running(world)).toEqual([]);
      if (kind !== 'action') expect((await world.job('a')).status).toBe('canceled');
    });

    test('that evaluates code decides nothing after a cancel', async () => {
      const { world, worker, errand } = await underWay('evaluation');
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      await worker.exchange({ errands: [reportOf(errand)] });
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    });

    test.each(['post', 'evaluation'] as const)(
      'that is stopped together with its worker leaves the attempt free of charge: %s',
      async (kind) => {
        const { world, worker, errand } = await underWay(kind);
        const stopped: ErrandReport =
          kind === 'post' ? { kind, id: errand.id, post: null } : { kind, id: errand.id, evaluations: null };
        await worker.exchange({ errands: [stopped] });
        expect(await world.job('a')).toMatchObject({
          status: 'ready',
          failure_count: 0,
          preemption_count: 0,
        });
      },
    );
  });

  describe('a restarted worker', () => {
    async function restarted(
      kind: ErrandKind,
      meanwhile: (world: EngineWorld) => Promise<unknown> = async () => {},
    ) {
      const world = await makeWorld(kind);
      const identity = { ...ownIdentity(), host: 'elsewhere', kind: 'service' as const };
      const { id, secret } = await world.engine.registerWorker(identity);
      await world.engine.adopt(world.workflowId, id);
      const worker = new WorkerHand(world, id);
      const errand = await order(worker);
      await meanwhile(world);
      return { world, worker, errand, resumed: await world.engine.resumeWorker({ id, secret }, identity) };
    }

    test.each(KINDS)('holds its errand, and may report it: %s', async (kind) => {
      const { world, worker, errand, resumed } = await restarted(kind);
      const isWhole = kind === 'post' || kind === 'evaluation';
      expect(resumed.errands).toEqual([isWhole ? errand : { kind, id: errand.id }]);
      await worker.exchange({ errands: [reportOf(errand)] });
      expect(await running(world)).toEqual([]);
    });

    test.each(['post', 'evaluation'] as const)(
      'does not hold one whose job was canceled meanwhile, which is decided: %s',
      async (kind) => {
        const { world, resumed } = await restarted(kind, (canceled) =>
          canceled.engine.cancel(canceled.workflowId, { actor: 'ann' }),
        );
        expect([resumed.held, resumed.errands]).toEqual([[], []]);
        expect((await world.jobs()).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
      },
    );
  });

  describe('actions of the end of a run', () => {
    const ending = () =>
      worldOf(simpleModel([{ name: 'a' }], { actions: [action('on_workflow_complete')] }), databases);

    test('run after a cancel of the workflow, and are stopped by the next one', async () => {
      const world = await ending();
      const worker = await world.remoteWorker();
      expect(await world.engine.cancel(world.workflowId, { actor: 'ann' })).toMatchObject({ actions: [] });
      const { errands } = await worker.exchange({ capacity: PLENTY });
      expect(errands).toMatchObject([{ trigger: 'on_workflow_complete', status: 'canceled', exit_code: 1 }]);
      expect((await worker.exchange({})).cancel_errands).toEqual([]);
      const { actions } = await world.engine.cancel(world.workflowId, { actor: 'ann' });
      expect(actions).toEqual([errands[0]!.id]);
      expect((await worker.exchange({})).cancel_errands).toEqual(actions);
    });

    test('that have not begun are not due any more when the run is opened again, and are due at its next end', async () => {
      const world = await ending();
      const first = await world.remoteWorker();
      const [claim] = await first.claim();
      await first.exchange({ started: [claim!] });
      await first.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 1 }) }] });
      const due = async () => (await world.engine.status(world.workflowId)).actions_due;
      expect(await due()).toBe(1);
      await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      expect(await due()).toBe(0);
      expect((await first.exchange({ capacity: { ...PLENTY, slots: 0 } })).errands).toEqual([]);
      await first.runReady();
      expect(await due()).toBe(1);
      const { errands } = await first.exchange({ capacity: PLENTY });
      expect(errands).toMatchObject([{ trigger: 'on_workflow_complete', status: 'completed', exit_code: 0 }]);
      expect(await due()).toBe(0);
    });
  });
}
