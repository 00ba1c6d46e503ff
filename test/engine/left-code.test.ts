import { describe, expect, onTestFinished, test } from 'vitest';
import { modelOf } from '../spec/spec-text.ts';
import { RoutingHand } from './routing-world.ts';

const B = '{ exec: b, fail_if: output < 0, on_success: { goto_js: next }, on_fail: { goto_js: back } }';

/** a → b → c, with b reported as `output`; what has to be evaluated is open. */
async function openCode(output: number, b = B): Promise<RoutingHand> {
  const hand = await RoutingHand.create(
    modelOf(`steps:\n  a: { exec: a }\n  b: ${b}\n  c: { exec: c, if: outputs.b > 0 }\n`),
  );
  onTestFinished(() => hand.close());
  expect(await hand.play()).toEqual(['a']);
  expect(await hand.play({ b: { output, exit_code: output < 9 ? 0 : output } })).toEqual(['b']);
  return hand;
}

/** The worker dies, and the next one is asked. */
async function askedAfterDeath(hand: RoutingHand): Promise<string[]> {
  await hand.lose();
  expect(await hand.claim(10)).toEqual([]);
  return hand.questions;
}

describe('code that a dead worker did not evaluate', () => {
  test('is evaluated one key after another by those that come after it, and the route is taken', async () => {
    const hand = await openCode(1);
    expect(hand.questions).toEqual(['fail_if']);
    expect(await askedAfterDeath(hand)).toEqual(['fail_if']);
    await hand.answer({ fail_if: { value: false } });
    expect(hand.questions).toEqual(['goto_js']);
    expect(await askedAfterDeath(hand)).toEqual(['goto_js']);
    await hand.answer({ goto_js: { value: 'a' } });
    const [, b] = await hand.world.attempts();
    expect(b).toMatchObject({ job_name: 'b', verdict: 'goto', cause: null });
    expect(b!.evaluations.map(({ key, result }) => [key, result.ok])).toEqual([
      ['fail_if', true],
      ['goto_js', true],
    ]);
    expect(await hand.play()).toEqual(['a']);
  });

  test.for([
    ['after a failure', 9, []],
    ['after a success that fail_if refuses', -1, ['fail_if']],
  ] as const)('is evaluated with the error %s', async ([, output, first]) => {
    const hand = await openCode(output);
    expect(await askedAfterDeath(hand)).toEqual(first.length > 0 ? first : ['goto_js']);
    if (first.length > 0) await hand.answer({ fail_if: { value: true } });
    expect(hand.questions).toEqual(['goto_js']);
    await hand.answer({ goto_js: { value: 'a' } });
    expect((await hand.world.attempts()).at(-1)).toMatchObject({ verdict: 'goto', cause: 'exit' });
    expect(await hand.play()).toEqual(['a']);
  });

  test('is evaluated for a failure whose post script was cut off', async () => {
    const hand = await openCode(9, '{ exec: b, post: check, on_fail: { goto_js: back } }');
    expect(hand.questions).toEqual([]);
    expect(await askedAfterDeath(hand)).toEqual(['goto_js']);
    await hand.answer({ goto_js: { value: 'a' } });
    expect(await hand.play()).toEqual(['a']);
  });

  test('does not let a post script be passed over', async () => {
    const hand = await openCode(1, '{ exec: b, fail_if: output < 0, post: check }');
    expect(await askedAfterDeath(hand)).toEqual(['fail_if']);
    await hand.answer({ fail_if: { value: false } });
    expect(await hand.world.job('b')).toMatchObject({ status: 'failed' });
  });

  test('is left to the next worker also by one that retires', async () => {
    const hand = await openCode(1);
    await hand.world.engine.retireWorker(hand.workerId);
    expect(await hand.world.job('b')).toMatchObject({ status: 'running' });
    await hand.takeOver();
    await hand.claim(10);
    expect(hand.questions).toEqual(['fail_if']);
  });

  test('is not waited for by what is canceled, when no worker is there', async () => {
    const hand = await openCode(1);
    hand.world.passLease();
    const { engine, workflowId } = hand.world;
    await engine.cancel(workflowId, { actor: 'test', jobs: ['c'] });
    expect(await hand.world.job('b')).toMatchObject({ status: 'running' });
    await engine.cancel(workflowId, { actor: 'test' });
    expect(await hand.world.job('b')).toMatchObject({ status: 'canceled' });
    expect(await engine.status(workflowId)).toMatchObject({ complete: true, exit_code: 1 });
  });

  test('does not count as a success when a new run begins', async () => {
    const hand = await openCode(1);
    hand.world.passLease();
    await hand.world.engine.resetStatus(hand.world.workflowId, { actor: 'test' });
    expect((await hand.world.attempts()).at(-1)).toMatchObject({ job_name: 'b', cause: 'lost' });
    await hand.takeOver();
    expect(await hand.play()).toEqual(['a']);
  });
});
