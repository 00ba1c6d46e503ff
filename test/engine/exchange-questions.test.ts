import { expect, onTestFinished, test } from 'vitest';
import type { Exchange } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Exchanged, exchangeTogether } from '../../src/engine/exchange/exchange.ts';
import { LocalEngine } from '../../src/engine/local-engine.ts';
import { WakeChannel } from '../../src/engine/wake/wake-channel.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { isPresumed, type Script } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { NOTHING, PLENTY } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

/** How often a database behind a network would be waited for. */
function* counted<T>(script: Script<T>): Script<{ value: T; questions: number }> {
  let questions = 0;
  let step = script.next();
  while (!step.done) {
    if (!isPresumed(step.value)) questions += 1;
    step = script.next(yield step.value);
  }
  return { value: step.value, questions };
}

test('an exchange that ends jobs and takes others waits five times for the database, however many jobs they are', async () => {
  const store = new SqliteStore(':memory:');
  const engine = new LocalEngine(store, new WakeChannel(':memory:'));
  onTestFinished(() => engine.close());
  const model = simpleModel(Array.from({ length: 100 }, (_, index) => ({ name: `job_${index}` })));
  await engine.createWorkflow({ model, cwd: '/', output_dir: 'output', actor: 'test', shared: true });
  const { id: workerId } = await engine.registerWorker({ ...ownIdentity(), kind: 'service' });
  let seq = 0;
  const exchange = (part: Partial<Exchange>) => {
    seq += 1;
    const sent = { workerId, request: { ...NOTHING, seq, ...part } };
    return store.write(() => counted(exchangeTogether([sent])));
  };
  let { value } = await exchange({ capacity: { ...PLENTY, slots: 1 } });
  for (const slots of [10, 30]) {
    const { claims } = (value[0] as { done: Exchanged }).done;
    const facts = { started_at_ms: 0, finished_at_ms: 1, outcome: outcome({ exit_code: 0 }), usage: null };
    const finished = claims.map(({ token }) => ({ token, ...facts }));
    const done = await exchange({ finished, capacity: { ...PLENTY, slots } });
    expect(done.questions).toBe(5);
    value = done.value;
    expect(value).toMatchObject([{ done: { claims: { length: slots }, rejected: [] } }]);
  }
});
