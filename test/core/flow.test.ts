import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cancel } from '../../src/core/flow/cancel.ts';
import { concludeJobs, followRoute } from '../../src/core/flow/conclude.ts';
import { countSet } from '../../src/core/flow/count-set.ts';
import { askFlow } from '../../src/core/flow/flow-draft.ts';
import type { FlowMoves } from '../../src/core/flow/flow-moves.ts';
import {
  emptyPart,
  MEMBER_JOINED,
  MEMBER_PLAIN,
  MEMBER_PRODUCER,
  sweepKey,
} from '../../src/core/flow/flow-part.ts';
import { goBack } from '../../src/core/flow/go-back.ts';
import { revive } from '../../src/core/flow/revive.ts';
import { ready } from '../../src/core/job/full-state.ts';
import { withoutCode } from '../engine/routing-reference.ts';
import { courses } from '../property-runs.ts';
import { FlowPlayer, graphOf, movesOf } from './flow-player.ts';
import { referenceRouting } from './reference-routing.ts';

const DIAMOND = [
  { name: 'a', after: [] },
  { name: 'b', after: ['a'] },
  { name: 'c', after: ['a'] },
  { name: 'd', after: ['b', 'c'] },
];

const reported = ({ jobs }: FlowMoves) =>
  jobs.map(({ before, after }) => `${after.name}: ${before.state.status} -> ${after.state.status}`);

describe('the flow', () => {
  test('goes as the reference model says, for random graphs with static routes and outcomes', () => {
    fc.assert(
      fc.property(withoutCode, fc.nat(8), (steps, maxLoops) => {
        expect(new FlowPlayer(steps, maxLoops).play()).toEqual(referenceRouting(steps, maxLoops));
      }),
      { numRuns: courses(1000) },
    );
  });

  test('releases what waited for a success, and counts down what waits for more', () => {
    const part = graphOf(DIAMOND, {
      a: { status: 'completed', settled: 'succeeded' },
      b: { status: 'completed' },
      c: { status: 'running' },
    });
    const { moves, result } = movesOf(part, (draft) => concludeJobs(draft, [2]));
    expect(result).toBeNull();
    expect(reported(moves)).toEqual(['b: completed -> completed']);
    expect(moves.sets).toMatchObject([{ id: 4, size: 2, remaining: 1, unsuccessful: 0 }]);
    const last = graphOf(DIAMOND, {
      a: { status: 'completed', settled: 'succeeded' },
      b: { status: 'completed', settled: 'succeeded' },
      c: { status: 'completed' },
      d: { scheduling_timeout: 50 },
    });
    const { moves: rest } = movesOf(last, (draft) => concludeJobs(draft, [3]));
    expect(reported(rest)).toEqual(['c: completed -> completed', 'd: blocked -> ready']);
    expect(rest.jobs.at(-1)!.after.state).toMatchObject({ waiting: { for: 'worker', gives_up_at: 1050 } });
  });

  test('cancels everything that depends on a failure, with the job because of which it is canceled', () => {
    const { moves } = movesOf(graphOf(DIAMOND, { a: { status: 'failed' } }), (draft) =>
      concludeJobs(draft, [1]),
    );
    expect(reported(moves).slice(1).toSorted()).toEqual([
      'b: blocked -> canceled',
      'c: blocked -> canceled',
      'd: blocked -> canceled',
    ]);
    expect(moves.events.map(({ job_id, type }) => [job_id, type])).toEqual(
      expect.arrayContaining([
        [2, 'cancel'],
        [3, 'cancel'],
        [4, 'cancel'],
      ]),
    );
    expect(moves.jobs.find(({ after }) => after.name === 'b')!.after).toMatchObject({
      state: { status: 'canceled', because: 1 },
      settled: 'failed',
      reason: 'its dependency a did not succeed',
    });
  });

  test('leaves those alone that do not mind a failure, and disables what depends on a disabled job', () => {
    const patient = { cancel_on_failure: false };
    const failed = graphOf(DIAMOND, { a: { status: 'failed' }, b: patient, c: patient });
    const { moves } = movesOf(failed, (draft) => concludeJobs(draft, [1]));
    expect(reported(moves)).toEqual(['a: failed -> failed', 'b: blocked -> ready', 'c: blocked -> ready']);
    const disabled = graphOf(DIAMOND, { a: { status: 'disabled' } });
    expect(
      reported(movesOf(disabled, (draft) => concludeJobs(draft, [1])).moves)
        .slice(1)
        .toSorted(),
    ).toEqual(['b: blocked -> disabled', 'c: blocked -> disabled', 'd: blocked -> disabled']);
  });

  test('pauses where jobs have to be made for items first', () => {
    const part = graphOf(DIAMOND, { a: { status: 'completed', has_items: true } });
    expect(movesOf(part, (draft) => concludeJobs(draft, [1])).result).toEqual({ kind: 'expand', left: [1] });
    expect(movesOf(part, (draft) => concludeJobs(draft, [1], true)).result).toBeNull();
  });

  test('goes back to a job that starts at once, or when what it overtakes has ended', () => {
    const done = { status: 'completed', settled: 'succeeded' } as const;
    const part = graphOf(DIAMOND, { a: done, b: done, c: { status: 'blocked' } });
    const { moves } = movesOf(part, (draft) => goBack(draft, part.jobs.get(3)!, 1, [1, 2, 3, 4]));
    expect(reported(moves)).toContain('a: completed -> ready');
    expect(reported(moves)).toContain('b: completed -> blocked');
    expect(moves.jobs.map(({ after }) => after.visit)).toEqual([2, 2, 2, 2]);
    const busy = graphOf(DIAMOND, { a: done, b: { status: 'running' }, c: { status: 'blocked' } });
    const { moves: waits } = movesOf(busy, (draft) => goBack(draft, busy.jobs.get(3)!, 1, [1, 2, 3, 4]));
    const [a, b] = waits.jobs.map(({ after }) => after);
    expect(a!.state).toEqual({ status: 'blocked', waiting: { for: 'overtaken' } });
    expect(b!.state).toEqual({ status: 'running', order: null, overtaken: true });
  });

  test('leaves canceled what a user has canceled, when a goto overtakes it', () => {
    const done = { status: 'completed', settled: 'succeeded' } as const;
    const part = graphOf(DIAMOND, {
      a: done,
      b: { status: 'canceled', settled: 'failed' },
      c: { status: 'blocked' },
    });
    const { moves } = movesOf(part, (draft) => goBack(draft, part.jobs.get(3)!, 1, [1, 2, 3, 4]));
    expect(reported(moves).join()).not.toContain('b:');
  });

  test('cancels waiting jobs at once, and asks for running ones once only', () => {
    const part = graphOf(DIAMOND, {
      a: { status: 'completed', settled: 'succeeded' },
      b: { status: 'running' },
      c: { state: { status: 'running', order: { kind: 'cancel', because: null }, overtaken: false } },
    });
    const words = { reason: 'enough', actor: 'ann' };
    const { moves, result } = movesOf(part, (draft) => cancel(draft, [1, 2, 3, 4], words));
    expect(result).toEqual({ canceled: [4], stopping: [2, 3] });
    expect(reported(moves)).toEqual(['b: running -> running', 'd: blocked -> canceled']);
    expect(moves.events.map(({ job_id, type }) => [job_id, type])).toEqual([
      [2, 'cancel_requested'],
      [4, 'cancel'],
    ]);
  });

  test('keeps a sweep canceled while another of its jobs that failed does not run again', () => {
    const steps = ['a', 'b', 'c'].map((name) => ({ name, after: [] }));
    const failed = { status: 'failed', settled: 'failed', fail_fast: 's' } as const;
    const part = graphOf(steps, {
      a: failed,
      b: failed,
      c: { state: { status: 'canceled', because: 1 }, settled: 'failed', fail_fast: 's' },
    });
    part.sweeps.set(sweepKey({ sweep: 's', scope: '' }), [1, 2, 3]);
    for (const id of [1, 2, 3]) part.canceledBelow.add(id);
    expect(movesOf(part, (draft) => revive(draft, [1], 'ann')).result).toEqual([]);
    expect(movesOf(part, (draft) => revive(draft, [2], 'ann')).result).toEqual([]);
    expect(movesOf(part, (draft) => revive(draft, [1, 2], 'ann')).result).toEqual([3]);
  });

  test('revives what was canceled because of a failure, and not what another failure or a user canceled', () => {
    const failed = { status: 'failed', settled: 'failed' } as const;
    const because = (id: number | null) =>
      ({ state: { status: 'canceled', because: id }, settled: 'failed' }) as const;
    const steps = [...DIAMOND, { name: 'e', after: ['d'] }, { name: 'f', after: ['a'] }];
    const part = graphOf(steps, {
      a: failed,
      b: because(1),
      c: because(1),
      d: because(2),
      e: because(4),
      f: because(null),
    });
    part.canceledBelow.add(1);
    const { moves, result } = movesOf(part, (draft) => revive(draft, [1], 'ann'));
    expect(result).toEqual([2, 3, 4, 5]);
    expect(reported(moves).slice(1)).toEqual(
      ['b', 'c', 'd', 'e'].map((name) => `${name}: canceled -> blocked`),
    );
    expect(moves.jobs.map(({ after }) => after.settled)).toEqual([null, null, null, null, null]);
    const other = graphOf(steps, { a: { settled: 'succeeded' }, b: failed, c: failed, d: because(2) });
    other.canceledBelow.add(2).add(3);
    expect(movesOf(other, (draft) => revive(draft, [2], 'ann')).result).toEqual([]);
    expect(movesOf(other, (draft) => revive(draft, [2, 3], 'ann')).result).toEqual([4]);
  });

  test('lets what could be claimed wait again for a job that is retried, or goes back', () => {
    const ended = { status: 'failed', settled: 'failed' } as const;
    const patient = { cancel_on_failure: false, status: 'ready' } as const;
    const part = graphOf(DIAMOND, { a: ended, b: patient, c: patient });
    part.canceledBelow.add(1);
    expect(movesOf(part, (draft) => revive(draft, [1], 'ann')).moves.blocks).toEqual([2, 3]);
    const { moves } = movesOf(part, (draft) => goBack(draft, part.jobs.get(1)!, 1, [1]));
    expect(moves.blocks).toEqual([2, 3]);
  });

  test('does not let it wait for a set that is met again by what the goto leads to', () => {
    // c runs again, and is canceled at once because of x; d, which does not mind, stays ready.
    const steps = [
      { name: 'a', after: [] },
      { name: 'x', after: [] },
      { name: 'c', after: ['a', 'x'] },
      { name: 'd', after: ['c'] },
    ];
    const part = graphOf(steps, {
      a: { status: 'completed', settled: 'succeeded' },
      x: { status: 'failed', settled: 'failed' },
      c: { state: { status: 'canceled', because: 2 }, settled: 'failed' },
      d: { status: 'ready', cancel_on_failure: false },
    });
    const { moves } = movesOf(part, (draft) => goBack(draft, part.jobs.get(1)!, 1, [1, 3]));
    expect(moves.jobs.map(({ after }) => `${after.name}: ${after.state.status}`)).toEqual([
      'a: ready',
      'c: canceled',
    ]);
    expect(moves.blocks).toEqual([3]);
  });

  test('ends the wait for a route in a claimable job, or in a blocked one if a dependency runs again', () => {
    for (const [settled, isCalled, status] of [
      ['succeeded', false, 'ready'],
      [null, false, 'blocked'],
      [null, true, 'ready'],
    ] as const) {
      const part = graphOf(DIAMOND, {
        a: { settled },
        b: {
          state: ready({ for: 'route', token: 7, until: 0 }),
          ...(isCalled ? { serves: { call_id: 9, returns_to: { status: 'completed' } } } : {}),
        },
      });
      part.routes.set(7, { token: 7, job_id: 2, kind: 'on_fail', not_before: null, state: 'calling' });
      const { moves } = movesOf(part, (draft) => followRoute(draft, { route: draft.route(7), failed: null }));
      expect(moves.jobs.map(({ after }) => after.state.status)).toEqual([status]);
    }
  });

  test('returns what has to be loaded first, and changes nothing of what was loaded', () => {
    expect(askFlow(emptyPart(), 0, (draft) => draft.job(7))).toEqual({ need: { kind: 'jobs', ids: [7] } });
    const part = graphOf(DIAMOND, { a: { status: 'failed' } });
    const before = structuredClone([...part.jobs.values()]);
    part.dependents.clear();
    expect(askFlow(part, 0, (draft) => concludeJobs(draft, [1]))).toEqual({
      need: { kind: 'dependents', sets: [2] },
    });
    expect([...part.jobs.values()]).toEqual(before);
  });

  test('releases jobs that were not loaded by their set', () => {
    const part = graphOf(DIAMOND, { a: { status: 'completed' } });
    part.dependents.clear();
    part.jobs.delete(3);
    const { moves } = movesOf(part, (draft) => concludeJobs(draft, [1]));
    expect(reported(moves)).toEqual(['a: completed -> completed', 'b: blocked -> ready']);
    expect(moves.releases).toEqual([
      { set_id: 2, after_failure: false, loaded: [2] },
      { set_id: 3, after_failure: false, loaded: [] },
    ]);
  });

  test('refuses a move that no diagram has', () => {
    const part = graphOf(DIAMOND, { a: { status: 'uninitialized' } });
    expect(() => movesOf(part, (draft) => cancel(draft, [1], { reason: 'no', actor: null }))).toThrow(
      'no job moves from uninitialized to canceled',
    );
  });

  test('counts a set by what its members have to do, and alternatives once', () => {
    expect(
      countSet([
        { kind: MEMBER_PLAIN, settled: null, count: 2 },
        { kind: MEMBER_PLAIN, settled: 'disabled', count: 1 },
        { kind: MEMBER_JOINED, settled: 'failed', count: 3 },
        { kind: MEMBER_PRODUCER, settled: 'failed', count: 1 },
        { kind: MEMBER_PRODUCER, settled: 'disabled', count: 1 },
        { kind: 1, settled: 'failed', count: 1 },
        { kind: 1, settled: 'succeeded', count: 1 },
        { kind: 2, settled: 'failed', count: 1 },
        { kind: 2, settled: null, count: 1 },
        { kind: 3, settled: 'disabled', count: 2 },
      ]),
    ).toEqual({ size: 11, remaining: 3, unsuccessful: 1, disabled: 2 });
  });
});
