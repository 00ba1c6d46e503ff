import { expect, test } from 'vitest';
import { showInBothThemes } from './both-themes.ts';
import { expectQuiet, openPage } from './browser.ts';
import { expectNoRequestButtons } from './request-behaviour.ts';
import { CHOSEN, MANY, nightly } from './specs.ts';
import type { WebWorld } from './web-world.ts';

/** What people do on the pages, from one to the next. */
export function flowBehaviour(world: WebWorld): void {
  test('a failure is followed from the first page to triage, decided there, and the workflow completes', async () => {
    const workflow = await world.run(nightly('second-night', 8), ({ counts }) => counts.pending_failed === 4);
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByText('3 jobs failed with exit 8 and wait for a decision').waitFor();
    await page.getByRole('link', { name: 'Decide in second-night' }).first().click();
    await page.getByText('“Connection refused” often passes by itself.').waitFor();
    await page.getByText('None: this is the first time.').waitFor();

    world.touch('fixed');
    await page.getByRole('button', { name: 'Retry …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('reconstruct_1, reconstruct_2, reconstruct_3 are retried.').waitFor();
    await dialog.getByLabel('Memory').fill('much');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button', { name: 'Retry 3 jobs' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Memory').fill('1g');
    await dialog.getByText('are retried with 1g of memory.').waitFor();
    await dialog.getByLabel('Reason').fill('the database is back');
    await showInBothThemes(page, 'decision');
    await dialog.getByRole('button', { name: 'Retry 3 jobs' }).click();
    await page.getByText('Done: reconstruct_1, reconstruct_2, reconstruct_3 were retried').waitFor();

    // The other group is what is left; it is decided with the keyboard alone.
    await page.getByRole('heading', { name: '1 job: exit 3' }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('dialog').getByText('background_model is failed for good.').waitFor();
    await page.getByLabel('Reason').fill('K was never taken');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing waits for a decision in this workflow.').waitFor();
    await world.until(workflow, ({ complete }) => complete);
    await page.getByRole('link', { name: 'second-night', exact: true }).click();
    await page.getByText('5 completed').waitFor();
    await page.getByRole('button', { name: 'Events' }).click();
    await page.getByText('the database is back').first().waitFor();
    // The memory that is no size.
    expectQuiet(page, /400/);
  });

  test('all failed jobs are retried at once, after a dry run, and the page follows', async () => {
    const workflow = await world.run(MANY, ({ complete }) => complete);
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflow}`));
    await page.getByText('4 failed').first().waitFor();
    await page.getByRole('button', { name: 'Retry …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 jobs: odd_1, odd_2, odd_3, odd_4.').waitFor();
    await dialog.getByRole('button', { name: 'Leave as it is' }).click();
    expect((await world.status(workflow)).counts.failed).toBe(4);

    // One of them by itself.
    await page.getByRole('button', { name: /^failed/ }).click();
    await page.getByRole('checkbox', { name: 'Choose odd_2' }).check();
    await page.getByRole('button', { name: 'Retry …' }).click();
    await dialog.getByText('1 job: odd_2.').waitFor();
    await dialog.getByRole('button', { name: 'Leave as it is' }).click();
    await page.getByRole('button', { name: 'Choose none' }).click();

    world.touch('even');
    await page.getByRole('button', { name: 'Retry …' }).click();
    await dialog.getByRole('button', { name: 'Retry: 4 jobs' }).click();
    await page.getByText('605 completed').waitFor();
    await expect.poll(async () => (await world.status(workflow)).exit_code).toBe(0);
    expectQuiet(page);
  });

  test('jobs that are chosen fail for good, start over or are retried with what follows them, each after a question', async () => {
    const workflow = await world.run(CHOSEN, ({ counts }) => counts.pending_failed === 3);
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflow}?status=pending_failed`));
    const dialog = page.getByRole('dialog');
    const order = async (verb: string) =>
      page.getByRole('button', { name: `${verb} …`, exact: true }).click();
    await page.getByRole('checkbox', { name: 'Choose fit_1' }).check();
    await order('Fail');
    await dialog.getByText('1 job fails for good: fit_1.').waitFor();
    await dialog.getByText('Canceled with it: merge.').waitFor();
    await dialog.getByLabel('Reason').fill('the input is broken');
    await dialog.getByRole('button', { name: 'Fail: 1 job' }).click();
    await page.getByText('1 canceled').waitFor();

    await page.getByText('All jobs with status waiting for a decision:').waitFor();
    await order('Retry');
    await dialog.getByText('2 jobs are retried: fit_2, fit_3.').waitFor();
    await dialog.getByRole('button', { name: 'Leave as it is' }).click();
    await order('Fail');
    await dialog.getByText('2 jobs fail for good: fit_2, fit_3.').waitFor();
    await dialog.getByRole('button', { name: 'Fail: 2 jobs' }).click();
    await expect.poll(async () => (await world.status(workflow)).complete).toBe(true);

    await page.goto(world.url(`/workflows/${workflow}`));
    const failed = page.getByRole('region', { name: 'What failed' });
    await failed.getByText('3 jobs: exit 6').waitFor();
    await failed.getByRole('link', { name: /^fit_/ }).waitFor();
    await page.getByRole('checkbox', { name: 'Choose check' }).check();
    expect(await page.getByRole('button', { name: 'Fail …' }).count()).toBe(0);
    await order('Retry from here');
    await dialog.getByText('1 job: check.').waitFor();
    await dialog.getByRole('button', { name: 'Leave as it is' }).click();
    await order('Start over');
    await dialog.getByText('Run 2 begins. 1 job starts over: check.').waitFor();
    await dialog.getByRole('button', { name: 'Start over: 1 job' }).click();
    await page.getByText(`#${workflow}, run 2`).waitFor();
    expectQuiet(page);
  });

  test('a page without its server says since when it is stale, and follows again after a restart', async () => {
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByText('live', { exact: true }).waitFor();
    await world.stop();
    await page.getByText(/^stale since \d\d:\d\d:\d\d; the server does not answer$/).waitFor();
    await world.start();
    await world.submit({ name: 'after-the-restart', jobs: [{ name: 'a', command: 'true' }] });
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'after-the-restart' }).waitFor();
    expectQuiet(page, /net::ERR_|503/);
  });

  test('with tokens a person signs in, a viewer has no buttons, and a token that ends leads back', async () => {
    const workflow = await world.run(
      { ...nightly('guarded', 5), jobs: [{ name: 'a', command: 'exit 5' }] },
      ({ counts }) => counts.pending_failed === 1,
    );
    await world.request({
      spec: {
        kind: 'request',
        name: 'guarded-request',
        work: { range: { total: 1, per_job: 1 } },
        process: { command: 'true', labels: ['nowhere'] },
      },
    });
    await world.reaches('guarded-request', 'ACTIVE');
    await world.stop();
    const viewer = await world.token('vera', 'viewer');
    // What was there before tokens were asked for belongs to nobody who has one: admins alone change it.
    const admin = await world.token('otto', 'admin');
    await world.start('--auth', 'token');

    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflow}/triage`));
    await page.getByLabel('Token').fill('hf_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await showInBothThemes(page, 'login');
    await page.getByLabel('Token').fill(viewer);
    await page.keyboard.press('Enter');
    await page.getByText('vera (viewer)').waitFor();
    await page.getByRole('heading', { name: '1 job: exit 5' }).waitFor();
    expect(await page.getByRole('button', { name: /Retry|Fail/ }).count()).toBe(0);
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expectNoRequestButtons(page, world, 'guarded-request');
    await page.goto(world.url(`/workflows/${workflow}`));
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: /Pause|Stop|Cancel|Retry/ }).count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(
      await page.evaluate(
        () => `${document.cookie}${JSON.stringify({ ...localStorage, ...sessionStorage })}`,
      ),
    ).not.toContain(viewer);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').fill(admin);
    await page.keyboard.press('Enter');
    await page.getByText('otto (admin)').waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    await world.revoke('otto');
    await page.getByText('Your token is no longer valid').waitFor();
    expectQuiet(page, /401/);
  });
}
