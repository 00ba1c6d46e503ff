import { expect, onTestFinished, test } from 'vitest';
import { DoubtfulEnds } from '../../src/worker/execute/doubtful-ends.ts';

function settled(ends: DoubtfulEnds): Promise<boolean> {
  return new Promise((resolve) => ends.hold(resolve));
}

test('without a time to hold everything is believed at once', () => {
  const believed: boolean[] = [];
  new DoubtfulEnds(0).hold((isBelieved) => believed.push(isBelieved));
  expect(believed).toEqual([true]);
});

test('an end is believed when its time has passed, in the order in which they came', async () => {
  const ends = new DoubtfulEnds(20);
  const order: number[] = [];
  const all = [1, 2, 3].map((number) => settled(ends).then((is) => is && order.push(number)));
  expect(ends.size).toBe(3);
  await Promise.all(all);
  expect([order, ends.size]).toEqual([[1, 2, 3], 0]);
});

test('nothing is believed that waits when the machine is taken away, or comes later', async () => {
  const ends = new DoubtfulEnds(600_000);
  const waiting = settled(ends);
  ends.take();
  expect([await waiting, await settled(ends), ends.size]).toEqual([false, false, 0]);
});

test('a signal that came while the process stood still counts before the time that has passed meanwhile', async () => {
  const ends = new DoubtfulEnds(10);
  const take = () => ends.take();
  process.on('SIGUSR2', take);
  onTestFinished(() => {
    process.off('SIGUSR2', take);
  });
  const end = settled(ends);
  process.kill(process.pid, 'SIGUSR2');
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect(await end).toBe(false);
});
