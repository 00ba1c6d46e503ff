import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type ReferenceEnd, type ReferenceStep, referenceRouting } from '../core/reference-routing.ts';
import { courses } from '../property-runs.ts';
import { type Databases, EngineWorld, onSqlite } from './engine-world.ts';
import { anySteps, routingModel } from './routing-model.ts';

/** More than any of these workflows can have. */
export const MANY = 2000;

/** Plays the steps on the engine, one at a time. */
export async function playOnEngine(
  steps: readonly ReferenceStep[],
  maxLoops: number,
  databases = onSqlite,
): Promise<ReferenceEnd> {
  const world = await EngineWorld.create(routingModel(steps, maxLoops), databases);
  try {
    const worker = await world.remoteWorker();
    const outcomes = new Map(steps.map(({ name, outcomes: drawn }) => [name, [...drawn]]));
    const executions: string[] = [];
    while (executions.length < MANY) {
      const [claim] = await worker.claim({ slots: 1 });
      if (claim === undefined) break;
      executions.push(claim.job_name);
      await worker.exchange({ started: [claim] });
      const succeeds = outcomes.get(claim.job_name)!.shift() ?? true;
      await worker.exchange({ finished: [{ claim, outcome: outcome({ exit_code: succeeds ? 0 : 1 }) }] });
    }
    const jobs = await world.jobs();
    const ends = Object.fromEntries(jobs.map(({ name, status }) => [name, status]));
    expect((await world.engine.status(world.workflowId)).complete, 'the run is complete').toBe(true);
    return { executions, ends: ends as ReferenceEnd['ends'] };
  } finally {
    await world.close();
  }
}

export const withoutCode = anySteps.map((steps) =>
  steps.map(({ asksRun, asksGoto, asksFail, ...step }) => step),
);

/** `runs` random graphs, on any database. */
export function staticRoutes(databases: Databases, runs: number): void {
  test('random graphs with static routes and outcomes go as the reference model says', async () => {
    await fc.assert(
      fc.asyncProperty(withoutCode, fc.nat(8), async (steps, maxLoops) => {
        expect(await playOnEngine(steps, maxLoops, databases)).toEqual(referenceRouting(steps, maxLoops));
      }),
      { numRuns: courses(runs) },
    );
  });
}
