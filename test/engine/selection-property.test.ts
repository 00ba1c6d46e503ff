import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { courses } from '../property-runs.ts';
import { EngineWorld } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

interface Plan {
  /** What each job waits for, by place. */
  needs: number[][];
  fails: boolean[];
  from: number;
  /** The workflow stays open, because another job runs. */
  isOpen: boolean;
  only: boolean;
}

const anyPlan: fc.Arbitrary<Plan> = fc
  .array(fc.record({ needs: fc.array(fc.nat(6), { maxLength: 2 }), fails: fc.boolean() }), {
    minLength: 2,
    maxLength: 7,
  })
  .chain((rows) =>
    fc.record({
      needs: fc.constant(
        rows.map(({ needs }, place) => [...new Set(needs.filter((other) => other < place))]),
      ),
      fails: fc.constant(rows.map(({ fails }, place) => fails && place > 0)),
      from: fc.nat(rows.length - 1),
      isOpen: fc.boolean(),
      only: fc.boolean(),
    }),
  );

type End = 'completed' | 'failed' | 'canceled';

/** How jobs end whose turn comes in the order in which they are written. */
function play(plan: Plan, before: readonly End[] | null, again: ReadonlySet<number>): End[] {
  const ends: End[] = [];
  for (const [place, needs] of plan.needs.entries()) {
    if (before !== null && !again.has(place)) ends.push(before[place]!);
    else if (needs.some((other) => ends[other] !== 'completed')) ends.push('canceled');
    else ends.push(before === null && plan.fails[place]! ? 'failed' : 'completed');
  }
  return ends;
}

function isBelow(plan: Plan, place: number): boolean {
  return place === plan.from || plan.needs[place]!.some((other) => isBelow(plan, other));
}

test('a retry from a job runs that job and what is downstream of it again, and nothing else', async () => {
  const seen = { again: 0, new_run: 0, refused: 0 };
  const name = (place: number) => `j${place}`;
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const jobs = plan.needs.map((needs, place) => ({ name: name(place), after: needs.map(name) }));
      const world = await EngineWorld.create(simpleModel([...jobs, { name: 'hold' }]));
      try {
        const worker = await world.remoteWorker();
        const held: Awaited<ReturnType<typeof worker.claim>> = [];
        const runAll = async (codes: readonly boolean[]) => {
          for (;;) {
            const claims = await worker.claim();
            if (claims.length === 0) return;
            await worker.exchange({ started: claims });
            const finished = claims.filter(({ job_name }) => !plan.isOpen || job_name !== 'hold');
            held.push(...claims.filter((claim) => !finished.includes(claim)));
            await worker.exchange({
              finished: finished.map((claim) => ({
                claim,
                outcome: outcome({ exit_code: codes[Number(claim.job_name.slice(1))] ? 1 : 0 }),
              })),
            });
          }
        };
        const ends = async () =>
          (await world.jobs()).filter(({ name: each }) => each !== 'hold').map(({ status }) => status);
        await runAll(plan.fails);
        const first = play(plan, null, new Set());
        expect(await ends()).toEqual(first);
        const before = (await world.attempts()).length;

        const places = plan.needs.map((_, place) => place);
        const again = new Set(
          places.filter((place) => (plan.only ? place === plan.from : isBelow(plan, place))),
        );
        // What was canceled because of a job that runs again, and of nothing else, runs as well.
        const wasCanceled = (place: number) => first[place] === 'canceled';
        for (const place of places) {
          const culprits = plan.needs[place]!.filter((other) => first[other] !== 'completed');
          if (plan.only && wasCanceled(place) && culprits.every((other) => again.has(other)))
            again.add(place);
        }
        const isRefused = plan.needs[plan.from]!.some((other) => first[other] !== 'completed');
        if (!plan.isOpen) await world.engine.retireWorker(worker.id);
        const retried = await world.engine
          .retryJobs(world.workflowId, { from: [name(plan.from)], only: plan.only, actor: 'ann' })
          .catch(({ code }) => code as string);
        if (isRefused) {
          seen.refused += 1;
          expect(retried).toBe('DEPENDENCY_FAILED');
          expect(await ends()).toEqual(first);
          return;
        }
        const mode = plan.isOpen ? 'again' : 'new_run';
        expect(retried).toMatchObject({ mode });
        seen[mode] += 1;
        const hand = plan.isOpen ? worker : await world.remoteWorker();
        for (let ran = await hand.runReady(); ran.length > 0; ran = await hand.runReady());
        const second = play(plan, first, again);
        expect(await ends()).toEqual(second);
        const ran = (await world.attempts()).slice(before).map(({ job_name }) => job_name);
        const expected = places
          .filter((place) => again.has(place) && second[place] === 'completed')
          .map(name);
        expect(ran.sort()).toEqual(expected.sort());
      } finally {
        await world.close();
      }
    }),
    { numRuns: courses(40) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
}, 120_000);
