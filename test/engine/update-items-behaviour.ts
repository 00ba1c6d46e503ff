import { expect, test } from 'vitest';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, NOTHING, PLENTY } from './engine-world.ts';
import { UpdateWorld } from './update-world.ts';

type Steps = Record<string, Record<string, unknown>>;

const STEPS: Steps = {
  list: { exec: 'list', forEach: true },
  each: { exec: 'each {{ outputs.list }}', depends_on: 'list' },
  more: { exec: 'more {{ outputs.each }}', depends_on: 'each' },
  join: { exec: 'join {{ outputs.more }}', depends_on: 'more', fanout: 'reduce' },
  tail: { exec: 'tail', depends_on: 'join' },
  apart: { exec: 'apart' },
};

/** The steps with other fields; null: without the step. */
function spec(changes: Record<string, Record<string, unknown> | null> = {}): object {
  const steps: Steps = structuredClone(STEPS);
  for (const [name, fields] of Object.entries(changes)) {
    if (fields === null) delete steps[name];
    else steps[name] = { ...steps[name], ...fields };
  }
  return { name: 'w', version: '2.0', order: 'graph', steps };
}

/** Runs everything that can run, with an output for each; returns the labels in sorted order. */
async function runItems(world: UpdateWorld, list: string[], fails: string[] = []): Promise<string[]> {
  const { engine, workflowId, clock } = world.world;
  if ((await engine.status(workflowId)).complete) return [];
  const { id } = await world.worker();
  const ran: string[] = [];
  for (;;) {
    const { claims } = await engine.exchange(id, { ...NOTHING, capacity: PLENTY, workflow_id: workflowId });
    if (claims.length === 0) return ran.sort();
    ran.push(...claims.map((claim) => jobLabel({ name: claim.job_name, scope: claim.scope })));
    await engine.exchange(id, {
      ...NOTHING,
      workflow_id: workflowId,
      finished: claims.map((claim) => {
        const isBad = fails.includes(jobLabel({ name: claim.job_name, scope: claim.scope }));
        return {
          token: claim.token,
          started_at_ms: clock.now,
          finished_at_ms: clock.now,
          outcome: outcome({ exit_code: isBad ? 1 : 0 }),
          usage: null,
          ...(!isBad && { output: claim.config.for_each ? list : claim.job_name }),
        };
      }),
    });
  }
}

const itemsOf = (count: number, ...names: string[]) =>
  names.flatMap((name) =>
    Array.from({ length: count }, (_, index) => jobLabel({ name, scope: `list[${index}]` })),
  );

/** Steps below a forEach follow the edited spec, on any database. */
export function updateItemsBehaviour(databases: Databases): void {
  const everyItem = itemsOf(2, 'each', 'more');
  const cases: [what: string, edited: object, ran: string[], list: string[], all: string[]][] = [
    ['no change runs nothing', spec(), [], ['a', 'b'], [...everyItem, 'list', 'join', 'tail', 'apart']],
    [
      'another command of a step of items runs it for each item, with all that is downstream',
      spec({ more: { exec: 'more -n {{ outputs.each }}' } }),
      [...itemsOf(2, 'more'), 'join', 'tail'],
      ['a', 'b'],
      [...everyItem, 'list', 'join', 'tail', 'apart'],
    ],
    [
      'another command of the step that joins them runs no item again',
      spec({ join: { exec: 'join -n {{ outputs.more }}' } }),
      ['join', 'tail'],
      ['a', 'b'],
      [...everyItem, 'list', 'join', 'tail', 'apart'],
    ],
    [
      'another list makes the items anew',
      spec({ list: { exec: 'list -a' } }),
      [...itemsOf(3, 'each', 'more'), 'list', 'join', 'tail'],
      ['a', 'b', 'c'],
      [...itemsOf(3, 'each', 'more'), 'list', 'join', 'tail', 'apart'],
    ],
    [
      'one more step puts the list out again',
      spec({ extra: { exec: 'extra {{ outputs.each }}', depends_on: 'each' } }),
      [...itemsOf(2, 'each', 'more', 'extra'), 'list', 'join', 'tail'],
      ['a', 'b'],
      [...itemsOf(2, 'each', 'more', 'extra'), 'list', 'join', 'tail', 'apart'],
    ],
    [
      'one step less runs what joined it again',
      spec({ more: null, join: { exec: 'join {{ outputs.each }}', depends_on: 'each' } }),
      ['join', 'tail'],
      ['a', 'b'],
      [...itemsOf(2, 'each'), 'list', 'join', 'tail', 'apart'],
    ],
    [
      'another policy of a step runs nothing again',
      spec({ each: { timeout: '2h' } }),
      [],
      ['a', 'b'],
      [...everyItem, 'list', 'join', 'tail', 'apart'],
    ],
  ];

  test.each(cases)('below a forEach, %s', async (_, edited, ran, list, all) => {
    const world = await UpdateWorld.create(spec(), databases);
    await runItems(world, ['a', 'b']);
    world.leave();
    await world.update(edited);
    expect(await runItems(world, list)).toEqual(ran.sort());
    const { engine, workflowId } = world.world;
    const { counts, workflow, exit_code } = await engine.status(workflowId);
    expect([exit_code, counts.completed, workflow.job_count]).toEqual([0, all.length, all.length]);
    const names = (await world.world.jobs()).map(jobLabel);
    expect(names.sort()).toEqual(all.sort());
    world.leave();
    expect(await world.update(edited)).toMatchObject({ mode: 'nothing', jobs: [] });
    // Back to the spec of the beginning.
    await world.update(spec());
    await runItems(world, ['a', 'b']);
    const end = await engine.status(workflowId);
    expect([end.exit_code, end.counts.completed]).toEqual([0, everyItem.length + 4]);
  });

  test('below a forEach, items that a new list does not have are disabled', async () => {
    const world = await UpdateWorld.create(spec(), databases);
    await runItems(world, ['a', 'b']);
    world.leave();
    await world.update(spec({ list: { exec: 'list -a' } }));
    const ran = [...itemsOf(1, 'each', 'more'), 'list', 'join', 'tail'];
    expect(await runItems(world, ['a'])).toEqual(ran.sort());
    expect(await world.statuses()).toMatchObject({ 'each@list[0]': 'completed', 'each@list[1]': 'disabled' });
    const { exit_code, counts } = await world.world.engine.status(world.world.workflowId);
    expect([exit_code, counts.completed, counts.disabled]).toEqual([0, 6, 2]);
  });

  test('below a forEach, an item that failed runs again alone, with what joins it', async () => {
    const world = await UpdateWorld.create(spec(), databases);
    await runItems(world, ['a', 'b'], [itemsOf(2, 'each')[1]!]);
    world.leave();
    await world.update(spec());
    const expected = [itemsOf(2, 'each')[1]!, itemsOf(2, 'more')[1]!, 'join', 'tail'];
    expect(await runItems(world, ['a', 'b'])).toEqual(expected.sort());
  });

  test('below a forEach, other steps are refused while the run is active, and nothing is changed', async () => {
    const world = await UpdateWorld.create(spec(), databases);
    const { engine, workflowId, clock } = world.world;
    const worker = await world.worker();
    const claims = await worker.claim();
    const claim = claims.find(({ job_name }) => job_name === 'list')!;
    const times = { started_at_ms: clock.now, finished_at_ms: clock.now };
    await engine.exchange(worker.id, {
      ...{ ...NOTHING, workflow_id: workflowId },
      finished: [
        { token: claim.token, ...times, outcome: outcome({ exit_code: 0 }), usage: null, output: ['a'] },
      ],
    });
    const before = await world.statuses();
    const extra = { exec: 'extra {{ outputs.each }}', depends_on: 'each' };
    await expect(world.update(spec({ extra }))).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    expect(await world.statuses()).toEqual(before);
  });
}
