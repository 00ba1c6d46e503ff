import { afterAll, expect, test } from 'vitest';
import type { JobRecord } from '../../src/contract/records/records.ts';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import type { WebWorld } from './web-world.ts';

/** One of three fits fails until a file is there; one job runs until another file is; three have no worker. */
const SPEC = {
  name: 'bulk-night',
  retry_defaults: { max_retries_failure: 0 },
  jobs: [
    { name: 'prepare', command: 'true' },
    {
      name: 'fit_{band}',
      parameters: { band: '1:3' },
      depends_on: ['prepare'],
      command: 'test {band} != 2 || test -e bulk-fixed || exit 4',
    },
    { name: 'merge', depends_on_regexes: ['fit_.*'], command: 'true' },
    { name: 'publish', depends_on: ['merge'], command: 'true' },
    { name: 'hold', command: 'while [ ! -e stop-bulk ]; do sleep 0.1; done' },
    { name: 'spare_{n}', parameters: { n: '1:2' }, command: 'true', labels: ['nowhere'] },
    { name: 'SPARE_3', command: 'true', labels: ['nowhere'] },
  ],
};

/** Actions for many jobs at once, carried through. */
export function bulkBehaviour(world: WebWorld): void {
  afterAll(() => world.touch('stop-bulk'));

  test('jobs start over from one that failed and from one that completed, and others are canceled, also while they run', async () => {
    const workflow = await world.run(SPEC, ({ counts }) => counts.failed === 1 && counts.running === 1);
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflow}`));
    const dialog = page.getByRole('dialog');
    const act = (verb: string) => page.getByRole('button', { name: `${verb} …`, exact: true }).click();
    const confirm = (verb: string) => dialog.getByRole('button', { name: verb, exact: true }).click();
    const attempts = async () => {
      const { items } = (await world.ask('GET', `/workflows/${workflow}/jobs`)) as { items: JobRecord[] };
      return Object.fromEntries(items.map(({ name, attempt_id }) => [name, attempt_id]));
    };

    world.touch('bulk-fixed');
    await page.getByRole('checkbox', { name: 'Choose fit_2' }).check();
    await act('Retry from here');
    await dialog.getByText('3 jobs: fit_2, merge, publish.').waitFor();
    await dialog.getByText('start over in this run').waitFor();
    await dialog.getByLabel('Reason').fill('the input is repaired');
    await expectAccessible(page);
    await confirm('Retry from here: 3 jobs');
    await page.getByText('6 completed').waitFor();
    expect(await attempts()).toMatchObject({ prepare: 1, fit_1: 1, fit_2: 2, fit_3: 1 });

    const before = await attempts();
    await page.getByRole('checkbox', { name: 'Choose merge' }).check();
    await act('Retry from here');
    await dialog.getByText('2 jobs: merge, publish.').waitFor();
    await confirm('Retry from here: 2 jobs');
    await dialog.waitFor({ state: 'detached' });
    await world.until(workflow, ({ counts }) => counts.completed === 6);
    expect(await attempts()).toEqual({
      ...before,
      merge: before.merge! + 1,
      publish: before.publish! + 1,
    });

    await page.getByRole('searchbox').fill('spare');
    await page.getByText('All jobs with spare in their names:').waitFor();
    await act('Cancel');
    // All that the table lists, which does not look at the case.
    await dialog.getByText('3 jobs not running: canceled at once.').waitFor();
    await confirm('Cancel: 3 jobs');
    await page.getByText('3 canceled').waitFor();
    expect((await world.status(workflow)).counts).toMatchObject({ canceled: 3, running: 1, completed: 6 });

    await page.getByRole('searchbox').fill('');
    await page.getByRole('checkbox', { name: 'Choose hold' }).check();
    await act('Cancel');
    await dialog.getByText('1 running job: ended, then canceled.').waitFor();
    await dialog.getByLabel('Reason').fill('nobody needs it');
    await confirm('Cancel: 1 job');
    await page.getByText('4 canceled').waitFor();
    await world.until(workflow, ({ complete }) => complete);
    await page.getByRole('button', { name: 'Events' }).click();
    await page.getByText('the input is repaired').first().waitFor();
    await page.getByText('nobody needs it').first().waitFor();
    expectQuiet(page);
  });
}
