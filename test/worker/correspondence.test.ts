import { expect, test } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import type { Exchange } from '../../src/contract/records/exchange.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { Correspondence } from '../../src/worker/exchange/correspondence.ts';
import { NOTHING } from '../engine/engine-world.ts';
import { unreachable } from './faulty-engine.ts';

/** An engine whose exchanges fail as often as told, and what it was sent. */
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
  const correspondence = new Correspondence(() => {});
  correspondence.continueAfter(41);
  let repeats = 0;
  await correspondence.exchange(engine, 7, NOTHING, async () => {
    repeats += 1;
  });
  await correspondence.exchange(engine, 7, NOTHING);
  expect(sent.map(({ seq }) => seq)).toEqual([42, 42, 42, 43]);
  expect(repeats).toBe(2);
  const times = sent.map(({ sent_at_ms }) => sent_at_ms!);
  expect(times.every((time) => time > 0)).toBe(true);
  // Each has the time at which it was sent, not that of the first.
  expect(times[2]).toBeGreaterThan(times[0]!);
});

test('the first failures are not told, an outage is, and its end', async () => {
  const told: string[] = [];
  const short = failing(2);
  await new Correspondence((line) => told.push(line)).exchange(short.engine, 7, NOTHING);
  expect(told).toEqual([]);
  const long = failing(4);
  await new Correspondence((line) => told.push(line)).exchange(long.engine, 7, NOTHING);
  expect(told).toEqual([expect.stringMatching(/cannot reach .*; trying again/), 'the server answers again']);
});

test('what the engine refuses is not sent again', async () => {
  const { engine, sent } = failing(1, () => new HoldfastError('WORKER_RETIRED', { worker: 7 }));
  const asked = new Correspondence(() => {}).exchange(engine, 7, NOTHING);
  await expect(asked).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
  expect(sent).toHaveLength(1);
});
