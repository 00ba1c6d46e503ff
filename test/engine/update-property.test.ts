import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courses } from '../property-runs.ts';
import { worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';
import { anyDrafts, anyEdit, edited } from './update-drafts.ts';
import { UpdatePlay } from './update-play.ts';

/** How far a run gets before an update, and the update. */
const anyLeg = fc.record({
  rounds: fc.oneof(fc.constant(Infinity), fc.nat(3)),
  fails: fc.array(fc.nat(9), { maxLength: 2 }),
  canceled: fc.option(fc.nat(99), { freq: 3 }),
  isLost: fc.boolean(),
  edits: fc.array(anyEdit, { maxLength: 4 }),
  files: fc.array(fc.nat(99), { maxLength: 2 }),
  isReversed: fc.boolean(),
});

test('an update runs again what is different, what did not complete and what is downstream; never more', async () => {
  const world = await worldOf(simpleModel([{ name: 'first' }]));
  const seen = { nothing: 0, same_run: 0, new_run: 0, kept: 0 };
  await fc.assert(
    fc.asyncProperty(
      anyDrafts,
      fc.array(anyLeg, { minLength: 1, maxLength: 2 }),
      fc.boolean(),
      async (base, legs, asks) => {
        const play = await UpdatePlay.create(world, base, { isReversed: false, asks });
        let drafts = base;
        // The last update goes back to the spec of the beginning.
        for (const leg of [...legs, { ...legs[0]!, edits: null }]) {
          await play.play(leg.rounds, (name) => leg.fails.some((place) => name.startsWith(`j${place}`)));
          if (leg.canceled !== null) await play.cancel(leg.canceled);
          if (leg.isLost) await play.lose();
          drafts = leg.edits === null ? base : edited(drafts, leg.edits);
          const how = { isReversed: leg.isReversed, asks };
          const { mode, counts } = await play.update(drafts, how, leg.files);
          seen[mode] += 1;
          if (mode === 'new_run' && counts.unchanged > 0) seen.kept += 1;
        }
        await play.finish();
      },
    ),
    { numRuns: courses(80) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
}, 120_000);

test('an update of an active run changes what has not started; the next one finds the rest', async () => {
  const world = await worldOf(simpleModel([{ name: 'first' }]));
  const seen = { nothing: 0, same_run: 0, started: 0 };
  await fc.assert(
    fc.asyncProperty(
      anyDrafts,
      fc.array(anyLeg, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (base, legs, asks) => {
        const play = await UpdatePlay.create(world, base, { isReversed: false, asks });
        let drafts = base;
        let how = { isReversed: false, asks };
        for (const leg of legs) {
          await play.play(leg.rounds, (name) => leg.fails.some((place) => name.startsWith(`j${place}`)));
          if (leg.canceled !== null) await play.cancel(leg.canceled);
          const next = edited(drafts, leg.edits);
          const result = await play.updateActive(next, { isReversed: leg.isReversed, asks });
          if (result === null) break;
          drafts = next;
          how = { isReversed: leg.isReversed, asks };
          if (result.mode !== 'new_run') seen[result.mode] += 1;
          seen.started += result.counts.started;
        }
        await play.drain();
        await play.update(drafts, how);
        await play.finish();
      },
    ),
    { numRuns: courses(60) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
}, 120_000);
