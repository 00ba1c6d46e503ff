import { expect, onTestFinished, test } from 'vitest';
import { modelOf } from '../spec/spec-text.ts';
import { RoutingHand } from './routing-world.ts';

const SPEC = `
steps:
  a: { exec: a }
  b: { exec: b, depends_on: a, on_fail: { goto: a } }
  c: { exec: c, depends_on: a }
  y: { exec: y, on_fail: { retry: { max: 1 }, run: [a] } }
`;

interface Overtaken {
  hand: RoutingHand;
  /** Tokens of the attempts that run. */
  c: number;
  y: number;
}

/** b goes back to a while c and y run: a waits for the end of c. */
async function goBackBesideC(): Promise<Overtaken> {
  const hand = await RoutingHand.create(modelOf(SPEC));
  onTestFinished(() => hand.close());
  const first = await startAll(hand);
  await hand.finish(first.get('a')!, { exit_code: 0 });
  const next = await startAll(hand);
  await hand.finish(next.get('b')!, { exit_code: 1 });
  expect(await statuses(hand)).toEqual({ a: 'blocked', b: 'blocked', c: 'running', y: 'running' });
  return { hand, c: next.get('c')!, y: first.get('y')! };
}

async function startAll(hand: RoutingHand): Promise<Map<string, number>> {
  const claims = await hand.claim(4);
  for (const { token } of claims) await hand.start(token);
  return new Map(claims.map(({ job_name, token }) => [job_name, token]));
}

async function statuses(hand: RoutingHand): Promise<Record<string, string>> {
  return Object.fromEntries((await hand.world.jobs()).map(({ name, status }) => [name, status]));
}

test('a goal of a goto starts when the overtaken attempt has ended', async () => {
  const { hand, c } = await goBackBesideC();
  await hand.finish(c, { exit_code: 0 });
  expect(await statuses(hand)).toMatchObject({ a: 'ready', b: 'blocked', c: 'blocked' });
});

test('a goal that was called while it waited waits again after the call', async () => {
  const { hand, c, y } = await goBackBesideC();
  await hand.finish(y, { exit_code: 1 });
  const called = await startAll(hand);
  expect([...called.keys()]).toEqual(['a']);
  await hand.finish(called.get('a')!, { exit_code: 0 });
  expect(await statuses(hand)).toMatchObject({ a: 'blocked', c: 'running' });
  await hand.finish(c, { exit_code: 0 });
  expect(await statuses(hand)).toMatchObject({ a: 'ready', c: 'blocked' });
});

test('a goal whose call outlasts the overtaken attempt starts after the call', async () => {
  const { hand, c, y } = await goBackBesideC();
  await hand.finish(y, { exit_code: 1 });
  const called = await startAll(hand);
  await hand.finish(c, { exit_code: 0 });
  expect(await statuses(hand)).toMatchObject({ a: 'running', c: 'blocked' });
  await hand.finish(called.get('a')!, { exit_code: 0 });
  expect(await statuses(hand)).toMatchObject({ a: 'ready', b: 'blocked', c: 'blocked' });
});

test('a goal waits for an overtaken attempt that is being canceled, too', async () => {
  const { hand, c } = await goBackBesideC();
  const { engine, workflowId } = hand.world;
  await engine.cancel(workflowId, { jobs: ['c'], actor: 'ann' });
  expect(await statuses(hand)).toMatchObject({ a: 'blocked', c: 'running' });
  await hand.finish(c, { canceled: true, signal: 'SIGTERM' });
  expect(await statuses(hand)).toMatchObject({ a: 'ready', c: 'canceled' });
});

test('an overtaken attempt that is ended to be retried runs again with the goal', async () => {
  const { hand, c } = await goBackBesideC();
  const { engine, workflowId } = hand.world;
  await engine.retryJob(workflowId, 'c', { actor: 'ann' });
  expect(await hand.world.job('c')).toMatchObject({ status: 'running', retry_requested: true });
  await hand.finish(c, { canceled: true, signal: 'SIGTERM' });
  expect(await statuses(hand)).toMatchObject({ a: 'ready', c: 'blocked' });
});
