import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { courses } from '../property-runs.ts';
import { EngineWorld, type WorkerHand } from './engine-world.ts';
import { content, exported, importLines } from './export-lines.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

/** Steps with dependencies on earlier ones, retries, remediation by a step on call, and ways back. */
const jobs = fc
  .array(
    fc.record({
      after: fc.subarray(NAMES),
      retries: fc.nat(2),
      route: fc.constantFrom('none', 'remedy', 'goto', 'call'),
    }),
    { minLength: 1, maxLength: NAMES.length },
  )
  .map((rows): SimpleJob[] => [
    ...rows.map(({ after, retries, route }, index): SimpleJob => {
      const earlier = after.filter((name) => NAMES.indexOf(name) < index);
      const target = earlier[0];
      return {
        name: NAMES[index]!,
        after: earlier,
        retry: { max_retries_failure: retries, initial_retry_delay_ms: 10 },
        ...(route === 'remedy' && { onFail: { run: ['fix'] } }),
        ...(route === 'call' && { onSuccess: { run: ['fix'] } }),
        ...(route === 'goto' && target !== undefined && { onFail: { goto: target } }),
      };
    }),
    { name: 'fix', onCall: true },
  ]);

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('run' as const), code: fc.constantFrom(0, 0, 1) }) },
    { weight: 2, arbitrary: fc.constant({ do: 'start' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('cancel' as const), job: fc.constantFrom(...NAMES) }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'wait' as const }) },
  ),
  { maxLength: 12 },
);

type Course = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

async function play(world: EngineWorld, worker: WorkerHand, course: Course): Promise<void> {
  for (const step of course) {
    if (step.do === 'wait') world.clock.now += 1000;
    else if (step.do === 'cancel') {
      const known = (await world.jobs()).some(({ name }) => name === step.job);
      if (known) await world.engine.cancel(world.workflowId, { actor: 'ada', jobs: [step.job] });
    } else {
      const claims = await worker.claim({ slots: 1 });
      await worker.exchange({ started: claims });
      if (step.do === 'start') continue;
      const ended = outcome({ exit_code: step.code });
      await worker.exchange({ finished: claims.map((claim) => ({ claim, outcome: ended })) });
    }
  }
}

/** Runs what is left, with success, and returns how all jobs ended. */
async function finish(world: EngineWorld, id: number): Promise<string[]> {
  const { engine } = world;
  world.passLease();
  if (!(await engine.status(id)).complete) {
    const twin = Object.assign(Object.create(world), { workflowId: id }) as EngineWorld;
    const worker = await twin.remoteWorker();
    for (let idle = 0; idle < 3; world.clock.now += 60_000) {
      idle = (await worker.runReady()).length === 0 ? idle + 1 : 0;
    }
    await engine.retireWorker(worker.id);
  }
  const { items } = await engine.listJobs(id, { limit: 1000 });
  return items.map(({ name, status, failure_count }) => `${name} ${status} ${failure_count}`);
}

test('any history comes back as it was exported, exports the same again, and ends as the original does', async () => {
  let live = 0;
  let finished = 0;
  await fc.assert(
    fc.asyncProperty(jobs, steps, async (model, course) => {
      const world = await EngineWorld.create(simpleModel(model));
      try {
        const engine = world.engine as ServedEngine;
        await play(world, await world.remoteWorker(), course);
        world.passLease();
        const lines = await exported(engine, world.workflowId);
        const { id } = await importLines(engine, lines);
        const isLive = content(lines).attempt!.some(({ finished_at }) => finished_at === null);
        const again = await exported(engine, id);
        const twin = await importLines(engine, again);
        expect(content(await exported(engine, twin.id))).toEqual(content(again));
        if (isLive) live += 1;
        else {
          finished += 1;
          expect(content(again)).toEqual(content(lines));
        }
        expect(await finish(world, id)).toEqual(await finish(world, world.workflowId));
      } finally {
        await world.close();
      }
    }),
    { numRuns: courses(40) },
  );
  expect(Math.min(live, finished)).toBeGreaterThan(3);
});
