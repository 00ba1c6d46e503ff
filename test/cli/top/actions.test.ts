import { expect, test } from 'vitest';
import { lineText } from '../../../src/cli/terminal/styled-line.ts';
import { carryOut } from '../../../src/cli/top/carry-out.ts';
import { listRows } from '../../../src/cli/top/list-rows.ts';
import { loadDetail, loadList } from '../../../src/cli/top/load-screen.ts';
import type { RequestTarget, Target, TopPlan } from '../../../src/cli/top/plans.ts';
import { freshLists, type TopState } from '../../../src/cli/top/top-state.ts';
import { type ActionContext, tryAction } from '../../../src/cli/top/try-action.ts';
import type { Engine } from '../../../src/contract/engine.ts';
import { onSqlite, worldOf } from '../../engine/engine-world.ts';
import { ADA, inUnits, PERMANENT, range, requestWorld } from '../../engine/request-world.ts';
import { simpleModel } from '../../engine/simple-model.ts';
import { textStyle } from '../records.ts';
import { press, startedWith } from './top-records.ts';

const CONTEXT: ActionContext = {
  actor: 'ada',
  style: textStyle(),
  isLocal: true,
  recovery: {
    actor: 'recover',
    memory_multiplier: 1.5,
    runtime_multiplier: 1.5,
    max_memory_bytes: null,
    max_runtime_ms: null,
    retry_unknown: false,
  },
};

async function failedWorld() {
  const model = simpleModel([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'after', after: ['a'] }], {
    usePendingFailed: true,
  });
  const world = await worldOf(model, onSqlite);
  await (await world.remoteWorker()).runReady({ a: 1, b: 1, c: 2 });
  const { groups } = await world.engine.summarizeFailures(world.workflowId);
  const alike: Target = { kind: 'group', workflow: world.workflowId, group: groups[0]! };
  return { engine: world.engine, workflow: world.workflowId, alike, world };
}

const counts = async (engine: Engine, id: number) => (await engine.status(id)).counts;

test('a group of failures is failed or retried as a whole, after a plan that changes nothing', async () => {
  const { engine, workflow, alike } = await failedWorld();
  const plan = (await tryAction(engine, { verb: 'fail', target: alike }, CONTEXT)) as TopPlan;
  expect([plan.question, plan.words]).toEqual([
    'Fail 2 jobs waiting for a decision?',
    ['  fail   a: ends as failed, cancels after', '  fail   b: ends as failed'],
  ]);
  expect(await counts(engine, workflow)).toMatchObject({ pending_failed: 3 });

  const retry = await tryAction(engine, { verb: 'retry', target: alike, memory: '2g' }, CONTEXT);
  expect((retry as TopPlan).words[0]).toBe('  retry  a: attempt 2 comes next with 2g of memory');
  expect(await carryOut(engine, plan, CONTEXT.style)).toBe(`workflow ${workflow}: decided about 2 jobs`);
  expect(await counts(engine, workflow)).toMatchObject({ pending_failed: 1, failed: 2, canceled: 1 });
  const { items } = await engine.listDecisions({ workflow_id: workflow });
  expect(items.map(({ actor }) => actor)).toEqual(['ada', 'ada']);

  // Failed ones are retried in the same run, with what was canceled because of them.
  const again = (await tryAction(engine, { verb: 'retry', target: alike }, CONTEXT)) as TopPlan;
  expect(again.question).toBe('Retry 2 jobs in run 1?');
  await carryOut(engine, again, CONTEXT.style);
  expect(await counts(engine, workflow)).toMatchObject({ ready: 2, blocked: 1 });
});

test('a job is canceled with what depends on it, and one that has ended is not', async () => {
  const { engine, workflow, world } = await failedWorld();
  const target = async (name: string): Promise<Target> => ({
    kind: 'job',
    workflow,
    job: (await world.job(name)).id,
    name,
  });
  const plan = (await tryAction(engine, { verb: 'cancel', target: await target('a') }, CONTEXT)) as TopPlan;
  expect(plan.question).toBe('Cancel job a?');
  await carryOut(engine, plan, CONTEXT.style);
  expect(await counts(engine, workflow)).toMatchObject({ canceled: 2 });
  expect(await tryAction(engine, { verb: 'fail', target: await target('after') }, CONTEXT)).toBe(
    'only a job that waits for a decision can be failed',
  );
  const whole: Target = { kind: 'workflow', id: workflow, name: 'w' };
  await carryOut(
    engine,
    (await tryAction(engine, { verb: 'cancel', target: whole }, CONTEXT)) as TopPlan,
    CONTEXT.style,
  );
  expect(await tryAction(engine, { verb: 'cancel', target: whole }, CONTEXT)).toBe(
    'nothing is left to cancel',
  );
  expect(await tryAction(engine, { verb: 'recover', target: whole }, CONTEXT)).toMatch(/^workflow 1: /);
});

test('a page of jobs is read, never all of them', async () => {
  const names = Array.from({ length: 450 }, (_, index) => `job_${index}`);
  const world = await worldOf(simpleModel(names.map((name) => ({ name }))), onSqlite);
  const screen = freshLists().jobs;
  const sizes: number[] = [];
  let pages: (number | null)[] = [null];
  for (let turned = 0; turned < 3; turned += 1) {
    const data = await loadList(world.engine, 'jobs', { ...screen, pages }, world.workflowId);
    if (data.view !== 'jobs') throw new Error('another list');
    sizes.push(data.items.length);
    pages = [...pages, data.next];
  }
  expect([sizes, pages.at(-1)]).toEqual([[200, 200, 50], null]);
});

test('every list and text can be read of a workflow with failures', async () => {
  const { engine, workflow, alike } = await failedWorld();
  const lists = freshLists();
  for (const view of ['workflows', 'running', 'failures', 'events', 'workers'] as const) {
    expect((await loadList(engine, view, lists[view], workflow)).view).toBe(view);
  }
  if (alike.kind !== 'group') throw new Error('no group');
  const text = await loadDetail(
    engine,
    { kind: 'group', target: alike, offset: 0, lines: null },
    CONTEXT.style,
  );
  expect(text.slice(0, 3)).toEqual([
    `${alike.group.fingerprint}: 2 jobs, 2 waiting for a decision`,
    'ended: exit 1',
    'before: no decision about a failure like this',
  ]);
  expect(text.at(-2)).toMatch(/^next: /);
  const log = { kind: 'log', stream: 'stdout', offset: null, lines: null } as const;
  const target = { kind: 'job', workflow, job: alike.group.sample.job_id, name: 'b' } as const;
  expect(await loadDetail(engine, { ...log, target }, CONTEXT.style)).toMatchObject([/./]);
});

test('a held request is listed with its rounds and units, released and stopped after a question', async () => {
  const world = await requestWorld(onSqlite);
  const { engine } = world;
  await world.submit(range({ units: 2 }), { error_max_rescue_attempts: 0 });
  expect(await world.drive(await world.worker(), inUnits([1], PERMANENT))).toBe('HELD');
  const data = await loadList(engine, 'requests', freshLists().requests, 0);
  const { lines, targets } = listRows(data, world.clock.now);
  const [titles, row] = lines(78).map(lineText);
  expect(titles).toMatch(/^REQUEST +STATE +ROUNDS +UNITS +DELIVERED +HELD/);
  expect(row).toMatch(/^sim@1 +HELD +1 +1\/2 \(1 failed\) +\d+\/20 +\S/);
  const listed = { ...startedWith(), view: 'requests' as const };
  const state: TopState = {
    ...listed,
    lists: { ...listed.lists, requests: { ...listed.lists.requests, data } },
  };
  const [target] = targets;
  expect(press(state, 'r').effects).toEqual([{ kind: 'plan', action: { verb: 'release', target } }]);
  expect(press(state, 's').effects).toEqual([{ kind: 'plan', action: { verb: 'stop', target } }]);
  for (const key of ['f', 'c', 'R', 'm', 'l']) {
    const { state: after, effects } = press(state, key);
    expect([effects, after.notice?.isError]).toEqual([[], true]);
  }
  const detail = press(state, 'return').state.details[0]!;
  expect((await loadDetail(engine, detail, CONTEXT.style)).join('\n')).toMatch(
    /^sim@1 {2}HELD[\s\S]*held after round 1/,
  );

  const action = { verb: 'release', target: target as RequestTarget } as const;
  const plan = (await tryAction(engine, action, CONTEXT)) as TopPlan;
  expect(plan.question).toBe('Release request sim@1?');
  expect(plan.words[1]).toMatch(/^HELD → QUEUED: /);
  expect(await world.state()).toBe('HELD');
  expect(await carryOut(engine, plan, CONTEXT.style)).toMatch(/^sim: HELD → QUEUED; /);
  expect((await engine.requestHistory('sim', { limit: 1 })).items[0]).toMatchObject(ADA);
  await expect(tryAction(engine, action, CONTEXT)).rejects.toThrow(/QUEUED/);
  await world.tend();
  expect(await world.state()).toBe('ACTIVE');
  const stop = (await tryAction(engine, { ...action, verb: 'stop' }, CONTEXT)) as TopPlan;
  await carryOut(engine, stop, CONTEXT.style);
  expect(await world.state()).not.toBe('ACTIVE');
});
