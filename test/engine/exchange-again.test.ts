import { expect, onTestFinished, test } from 'vitest';
import { type Exchanged, exchangeAgain, exchangeTogether } from '../../src/engine/exchange/exchange.ts';
import { LocalEngine } from '../../src/engine/local-engine.ts';
import { WakeChannel } from '../../src/engine/wake/wake-channel.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { NOTHING, PLENTY } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

test('another look for work that the database runs twice gives only what the second run has claimed', async () => {
  const store = new SqliteStore(':memory:');
  const engine = new LocalEngine(store, new WakeChannel(':memory:'));
  onTestFinished(() => engine.close());
  const worker = await engine.registerWorker({ ...ownIdentity(), host: 'elsewhere', kind: 'service' });
  // Nothing is there when it looks for the first time, as if another server had had it locked.
  const sent = { workerId: worker.id, request: { ...NOTHING, capacity: { ...PLENTY, slots: 1 }, seq: 1 } };
  const [settled] = await store.write(() => exchangeTogether([sent]));
  const { done } = settled as { done: Exchanged };
  const first = { ...done, contended: true };
  await store.write(function* () {
    yield {
      sql: 'update worker set last_result = ? where id = ?',
      values: [JSON.stringify(first), worker.id],
    };
  });
  const model = simpleModel([{ name: 'a' }, { name: 'b' }]);
  await engine.createWorkflow({ model, cwd: '/', output_dir: 'output', actor: 'test', shared: true });

  const rolledBack = store.write(function* () {
    yield* exchangeAgain(sent, first);
    throw new Error('the connection is gone');
  });
  await expect(rolledBack).rejects.toThrow('the connection is gone');
  const again = await store.write(() => exchangeAgain(sent, first));
  expect(again.claims.map(({ job_name, token }) => [job_name, token])).toEqual([['a', 1]]);
});
