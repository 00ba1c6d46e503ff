import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import type { Exchange } from '../../src/contract/records/exchange.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { ExchangeSender } from '../../src/worker/exchange/exchange-sender.ts';
import { NOTHING } from '../engine/engine-world.ts';
import { unreachable } from './faulty-engine.ts';

/** An engine whose exchanges fail as often as the test says, and what it was sent. */
function failing(times: number, error: () => Error = unreachable) {
  const sent: Exchange[] = [];
  const engine = {
    exchange: async (_: number, exchange: Exchange) => {
      sent.push(exchange);
      if (sent.length <= times) throw error();
      return {};
    },
  } as unknown as Engine;
  return { engine, sent };
}

test('an exchange has the same number however often it is sent, and the next one has the next', async () => {
  const { engine, sent } = failing(2);
  const sender = new ExchangeSender(() => {});
  sender.continueAfter(41);
  let repeats = 0;
  await sender.exchange(engine, 7, NOTHING, {
    before: async () => {
      repeats += 1;
    },
  });
  await sender.exchange(engine, 7, NOTHING);
  expect(sent.map(({ seq }) => seq)).toEqual([42, 42, 42, 43]);
  expect(repeats).toBe(2);
  const times = sent.map(({ sent_at_ms }) => sent_at_ms!);
  expect(times.every((time) => time > 0)).toBe(true);
  // Each has the time at which it was sent, not that of the first.
  expect(times[2]).toBeGreaterThan(times[0]!);
});

test('the first failures are not reported, an outage is, and its end', async () => {
  const reported: string[] = [];
  const short = failing(2);
  await new ExchangeSender((line) => reported.push(line)).exchange(short.engine, 7, NOTHING);
  expect(reported).toEqual([]);
  const long = failing(4);
  await new ExchangeSender((line) => reported.push(line)).exchange(long.engine, 7, NOTHING);
  expect(reported).toEqual([
    expect.stringMatching(/cannot reach .*; trying again/),
    'the server answers again',
  ]);
});

test('what the engine refuses is not sent again', async () => {
  const { engine, sent } = failing(1, () => new HoldfastError('WORKER_RETIRED', { worker: 7 }));
  const asked = new ExchangeSender(() => {}).exchange(engine, 7, NOTHING);
  await expect(asked).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
  expect(sent).toHaveLength(1);
});

test('what an operator can put right is asked again as long as there are jobs to lose', async () => {
  const refused = () => new HoldfastError('UNAUTHORIZED', { problem: 'there is no such token' });
  const reported: string[] = [];
  const sender = new ExchangeSender((line) => reported.push(line));
  const busy = failing(3, refused);
  await sender.exchange(busy.engine, 7, NOTHING, { hasJobs: () => true });
  expect(busy.sent.map(({ seq }) => seq)).toEqual([1, 1, 1, 1]);
  expect(reported).toEqual([
    'there is no such token; trying again until the lease ends',
    'the server answers again',
  ]);
  const idle = failing(3, refused);
  const hasJobs = () => idle.sent.length < 2;
  await expect(sender.exchange(idle.engine, 7, NOTHING, { hasJobs })).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
  expect(idle.sent).toHaveLength(2);
});

test('a worker that the engine has given up is not kept by its jobs', async () => {
  for (const code of ['WORKER_RETIRED', 'DATABASE_RESTORED', 'STALE_EXCHANGE'] as const) {
    const { engine, sent } = failing(1, () => new HoldfastError(code, { worker: 7 }));
    const asked = new ExchangeSender(() => {}).exchange(engine, 7, NOTHING, { hasJobs: () => true });
    await expect(asked).rejects.toMatchObject({ code });
    expect(sent).toHaveLength(1);
  }
});

test('a full disk of the engine is waited out as its absence is, with jobs and without', async () => {
  const { engine, sent } = failing(2, () => new HoldfastError('DISK_FULL', { problem: 'full' }));
  await new ExchangeSender(() => {}).exchange(engine, 7, NOTHING);
  expect(sent).toHaveLength(3);
});

test('answers are not kept: a worker that lives for months has millions of them', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const answers: WeakRef<object>[] = [];
  const sender = new ExchangeSender(() => {});
  for (let left = 50; left > 0; left -= 1) {
    await sender.insist(async () => {
      const answer = { claims: [] };
      answers.push(new WeakRef(answer));
      return answer;
    });
  }
  await turn();
  collect();
  expect(answers.filter((answer) => answer.deref() !== undefined).length).toBeLessThan(5);
});

test('whoever waits when it is given up gets an error, and so does whoever asks after that', async () => {
  const sender = new ExchangeSender(() => {});
  const silent = () => new Promise<never>(() => {});
  const waits = [sender.insist(silent), sender.pause(5_000)];
  sender.giveUpWithin(1);
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  expect(sender.hasGivenUp).toBe(true);
  await expect(sender.insist(silent)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
});
