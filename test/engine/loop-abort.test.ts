import { expect, onTestFinished, test } from 'vitest';
import { modelOf } from '../spec/spec-text.ts';
import { RoutingHand } from './routing-world.ts';

async function handOf(spec: string): Promise<RoutingHand> {
  const hand = await RoutingHand.create(modelOf(spec));
  onTestFinished(() => hand.close());
  return hand;
}

/** b goes one step too far while x runs. */
async function abortBesideX(x: string): Promise<{ hand: RoutingHand; token: number }> {
  const hand = await handOf(`
routing: { max_loops: 0 }
steps:
  a: { exec: a }
  x: { exec: x, depends_on: a${x} }
  b: { exec: b, depends_on: a, on_fail: { goto: a } }
`);
  await hand.play();
  const claims = await hand.claim(2);
  const token = (name: string) => claims.find(({ job_name }) => job_name === name)!.token;
  for (const each of claims) await hand.start(each.token);
  await hand.finish(token('b'), { exit_code: 1 });
  expect(await hand.cancellations()).toEqual([token('x')]);
  return { hand, token: token('x') };
}

test('a step that loop_abort stops says so, and not that a user canceled it', async () => {
  const { hand, token } = await abortBesideX('');
  await hand.finish(token, { canceled: true, signal: 'SIGTERM' });
  expect(await hand.world.job('x')).toMatchObject({ status: 'canceled', reason: 'loop_abort of b' });
  const { attempts } = await hand.world.engine.explain(hand.world.workflowId, 'x');
  expect(attempts[0]!.attempt.reason).toBe('loop_abort of b; never retried');
  expect(JSON.stringify(attempts)).not.toContain('user');
});

test.for([
  [true, 'canceled'],
  [false, 'completed'],
] as const)('a success in a scope that is aborted is checked: fail_if %s, %s', async ([refused, status]) => {
  const { hand, token } = await abortBesideX(', fail_if: output > 0, on_success: { goto: a, goto_js: more }');
  await hand.finish(token, { exit_code: 0 }, 1);
  expect(hand.questions).toEqual(['fail_if']);
  await hand.answer({ fail_if: { value: refused } });
  expect(await hand.world.job('x')).toMatchObject({ status });
  expect(await hand.world.engine.status(hand.world.workflowId)).toMatchObject({
    complete: true,
    exit_code: 1,
  });
});

const ITEMS = `
routing: { max_loops: 1 }
steps:
  list: { exec: list, forEach: true }
  p: { exec: p, depends_on: list }
  q: { exec: q, depends_on: p, continue_on_failure: true }
  r: { exec: r, depends_on: p, on_fail: { goto: p }, continue_on_failure: true }
  join: { exec: join, fanout: reduce, depends_on: [q, r], on_success: { goto_js: again } }
`;

/** In the one item r fails twice, once too often, after q has succeeded or while it runs. */
async function abortItem(hand: RoutingHand, q: 'completed' | 'canceled'): Promise<void> {
  await hand.play({ list: { output: [1] } });
  await hand.play();
  expect(await hand.play({ r: { exit_code: 1 } })).toEqual(['q', 'r']);
  await hand.play();
  const claims = await hand.claim(2);
  for (const { token } of claims) await hand.start(token);
  const [beside, over] = claims.map(({ token }) => token) as [number, number];
  if (q === 'completed') await hand.finish(beside, { exit_code: 0 });
  await hand.finish(over, { exit_code: 1 });
  if (q === 'canceled') await hand.finish(beside, { canceled: true, signal: 'SIGTERM' });
  expect((await hand.world.jobs()).map(({ name, status }) => `${name} ${status}`)).toContain(`q ${q}`);
}

test('loop_abort in an item fails the run, whatever continue_on_failure says', async () => {
  const hand = await handOf(ITEMS);
  await abortItem(hand, 'completed');
  expect(await hand.play()).toEqual(['join']);
  await hand.answer({ goto_js: { value: null } });
  expect(await hand.world.engine.status(hand.world.workflowId)).toMatchObject({
    complete: true,
    exit_code: 1,
  });
});

test('a step that loop_abort stopped runs again when a goto makes its item anew', async () => {
  const hand = await handOf(ITEMS);
  await abortItem(hand, 'canceled');
  await hand.play();
  await hand.answer({ goto_js: { value: 'list' } });
  expect(await hand.play({ list: { output: [2] } })).toEqual(['list']);
  await hand.play();
  expect(await hand.play()).toEqual(['q', 'r']);
  await hand.play();
  await hand.answer({ goto_js: { value: null } });
  expect(await hand.world.engine.status(hand.world.workflowId)).toMatchObject({
    complete: true,
    exit_code: 0,
  });
});
