import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_ALLOCATION_WORKER } from '../../src/core/allocation/scheduler.ts';
import { type RunningCli, startCli } from '../cli/run-cli.ts';
import { showInBothThemes } from './both-themes.ts';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { MINBIAS, READINGS, SCHEDULER, SURVEY } from './request-specs.ts';
import { HOSTILE_NAME } from './specs.ts';
import { screenshot, type WebWorld } from './web-world.ts';

const HOSTILE_SITE = `site ${HOSTILE_NAME}`;

/** Pages about requests, sites, workers and allocations. */
export function requestBehaviour(world: WebWorld): void {
  let worker: RunningCli;

  beforeAll(async () => {
    const labels = ['--label', 'gpu', '--label', 'big-memory'];
    // The worker of the server has the directory of the project.
    const words = [
      'worker',
      '--server',
      world.url(''),
      '--dir',
      'north',
      '--site',
      'north',
      ...labels,
      '-j',
      '8',
    ];
    worker = startCli(words, { cwd: world.project.dir });
    await Promise.all([MINBIAS, READINGS, SURVEY].map((request) => world.request(request)));
    const workflow = await world.submit({
      name: 'model-training',
      jobs: [
        { name: 'train', command: 'while [ ! -e release-workers ]; do sleep 0.1; done', labels: ['gpu'] },
        // What the allocations are needed for.
        { name: 'evaluate', command: 'true', labels: ['slurm:gpu'] },
      ],
    });
    const schedulers = [{ ...SCHEDULER, worker: DEFAULT_ALLOCATION_WORKER }];
    await world.ask('PUT', `/workflows/${workflow}/schedulers`, { schedulers });
    await world.ask('POST', `/workflows/${workflow}/allocations`, { scheduler: 'gpu', count: 2 });
    await world.reaches('minbias-2026', 'HELD');
    // Not before: the last site that is open to a request is never banned.
    await world.ask('POST', '/sites/south/ban', {
      reason: 'The cooling of the hall is being replaced.',
      duration_days: 3,
    });
    await world.reaches('readings-2025B', 'HELD');
    await world.reaches(SURVEY.spec.name, 'ACTIVE');
    await world.until(workflow, ({ counts }) => counts.running === 1);
  });

  afterAll(async () => {
    world.touch('release-workers');
    worker.child.kill('SIGTERM');
    await worker.ended;
  });

  const PAGES: [name: string, path: string, isThere: string][] = [
    ['requests', '/requests', 'minbias-2026'],
    ['request', '/requests/minbias-2026', 'ValueError: no field map'],
    ['sites', '/sites', 'The cooling of the hall'],
    ['workers', '/workers', 'Allocation 2'],
  ];

  describe.each([{ dark: false }, { dark: true }])('with %j', (look) => {
    test.each(PAGES)('the page %s is accessible, and its console is quiet', async (name, path, there) => {
      const page = await openPage(look);
      await page.goto(world.url(path));
      await page.getByText(there).first().waitFor();
      await screenshot(page, `${name}-${look.dark ? 'dark' : 'light'}`);
      await expectAccessible(page);
      expectQuiet(page);
    });
  });

  test('the first page has requests that are held and bans that end within a day, and leads to them', async () => {
    await world.ask('POST', '/sites/east/ban', { reason: 'The network is being moved.', duration_days: 0.5 });
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByText('The ban of site east ends soon').waitFor();
    await page.getByText(/^The network is being moved.; ends in/).waitFor();
    // The one of south lasts for days.
    expect(await page.getByText('The ban of site south').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Decide about minbias-2026' }).click();
    await page.getByRole('heading', { level: 1, name: 'minbias-2026' }).waitFor();
    await world.ask('DELETE', '/sites/east/ban');
    expectQuiet(page);
  });

  test('on a phone none of them is wider than the screen', async () => {
    const page = await openPage({ phone: true });
    const paths = [
      ...PAGES.map(([, path]) => path),
      `/requests/${SURVEY.spec.name}`,
      '/requests/readings-2025B',
    ];
    for (const path of paths) {
      await page.goto(world.url(path));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, excess]).toEqual([path, 0]);
      if (path === '/requests/minbias-2026') await showInBothThemes(page, 'request-phone');
    }
    expectQuiet(page);
  });

  test('a request says where it stands, what was decided and why, and what failed where', async () => {
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByRole('link', { name: 'Decide about minbias-2026' }).click();
    await page.getByText(/^Held after round 2: 9 of 12 units failed \(75 %\)/).waitFor();
    await page.getByText('700 of 3,000 delivered (23 %)').waitFor();
    await page.getByText('Delivered 700 of 3,000 numbers; the next number is 1,601').waitFor();
    const picture = page.getByRole('img', { name: 'Units of round 2, one shape each' });
    await picture.locator('svg').nth(11).waitFor();
    expect(await picture.locator('svg').count()).toBe(12);
    await page.getByText('How it was decided in round 2').click();
    await page.getByText('Banned site north: 8 of 12 attempts failed').waitFor();
    const errors = page.getByRole('region', { name: 'Errors' });
    await errors.getByText('Round 2: 75 % of the units failed, 0 rescues.').waitFor();
    await errors.getByRole('region', { name: 'By category' }).getByText('infrastructure').waitFor();
    await errors.getByRole('region', { name: 'By site' }).getByText('9 of 12 attempts').waitFor();
    await errors.evaluate((section) => section.scrollIntoView());
    await showInBothThemes(page, 'errors');
    await errors.getByLabel('Round').fill('1');
    await errors.getByText('No job failed for good in round 1.').waitFor();
    expect(page.url()).toContain('round=1');
    await page.getByRole('list', { name: 'History' }).getByText('Site north is banned').waitFor();
    await page.getByRole('button', { name: 'Release …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Memory').fill('3g');
    await dialog.getByLabel('Retries').fill('2');
    await dialog.getByLabel(/^north is banned already/).waitFor();
    await dialog.getByLabel('Reason', { exact: true }).fill('the disk of north has been cleared');
    await dialog.getByText('memory 3072 MB; 2 retries').waitFor();
    await showInBothThemes(page, 'release');
    await dialog.getByRole('button', { name: 'Leave as it is' }).click();
    expect((await world.requestRecord('minbias-2026')).status).toBe('HELD');
    await page.getByRole('link', { name: /^Unit 14: failed/ }).click();
    const jobs = page.getByRole('table');
    await jobs.getByRole('link', { name: 'unit_000014_proc_01' }).waitFor();
    expectQuiet(page);
  });

  test('a round of many units is one bar', async () => {
    const page = await openPage();
    await page.goto(world.url(`/requests/${SURVEY.spec.name}`));
    await page.getByRole('img', { name: 'Units of round 1: 500 open' }).waitFor();
    await page.getByText(/if fewer than 100 of 500 fail, rescue 1 of 3 follows/).waitFor();
    expectQuiet(page);
  });

  test('a request is released with changes, after what is wrong in them was said, and completes', async () => {
    const page = await openPage();
    await page.goto(world.url('/requests/readings-2025B'));
    await page.getByText(HOSTILE_NAME).first().waitFor();
    await page.getByRole('button', { name: 'Release …' }).click();
    const dialog = page.getByRole('dialog');
    const release = dialog.getByRole('button', { name: 'Release readings-2025B' });
    await dialog.getByText('Released; ').waitFor();
    await dialog.getByLabel('Memory').fill('plenty');
    await dialog.getByText('Must be a size such as 6g.').waitFor();
    expect(await release.isDisabled()).toBe(true);
    await dialog.getByLabel('Memory').fill('2g');
    await dialog.getByLabel('Threshold').fill('1.5');
    await dialog.getByText('Must be a number from 0 to 1').waitFor();
    await dialog.getByLabel('Threshold').fill('0.5');
    await dialog.getByLabel('Retries').fill('1');
    await dialog.getByLabel('Exclude items').fill('unknown.root');
    await dialog.getByRole('alert').getByText('no such item of the request: unknown.root').waitFor();
    expect(await release.isDisabled()).toBe(true);
    await dialog.getByLabel('Exclude items').fill(`noisy ${HOSTILE_NAME}.root`);
    await dialog.getByText('memory 2048 MB; 1 retry; threshold 0.5; 1 item excluded').waitFor();
    await dialog.getByLabel('Reason', { exact: true }).fill(`the file is noise ${HOSTILE_NAME}`);
    await expectAccessible(page);
    await release.click();
    await page.getByText('HELD → QUEUED: released').waitFor();
    await page.getByText('completed', { exact: true }).first().waitFor();
    await page.getByText('Items: 4 processed, 0 fresh, 0 attempted, 1 excluded, 5 in all').waitFor();
    await page.getByText(`Released: the file is noise ${HOSTILE_NAME}`).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /…$/ }).count()).toBe(0);
    await expectNoMarkup(page);
    // The item that is not one.
    expectQuiet(page, /400|422/);
  });

  test('each action says what it would do and asks; with the keyboard alone', async () => {
    const page = await openPage();
    const name = SURVEY.spec.name;
    await page.goto(world.url(`/requests/${name}`));
    await page.getByRole('button', { name: 'Stop …' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Stop ${name}` });
    await dialog.getByText('finished units are kept, and it returns to the queue afterwards').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await world.requestRecord(name)).status).toBe('ACTIVE');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Stay out of the queue afterwards').check();
    await dialog.getByText('it stays paused afterwards').waitFor();
    await dialog.getByLabel('Reason').fill('the labels are wrong');
    await page.keyboard.press('Enter');
    await page.getByText(/^Paused by .*: the labels are wrong\.$/).waitFor();
    await page.getByRole('button', { name: 'Restart …' }).click();
    await page.getByRole('dialog').getByText(`${name}@2 replaces it`).waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Restart ${name}` })
      .click();
    await page.getByRole('link', { name: `${name}@1` }).waitFor();
    await page.getByRole('button', { name: 'Fail …' }).click();
    await page.getByRole('dialog').getByText('Failed; its outputs are invalidated.').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Fail ${name}` })
      .click();
    await page.getByText(/^Failed by .*\.$/).waitFor();
    await page.goto(world.url('/requests?show=held'));
    await page.getByRole('link', { name: 'minbias-2026' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name }).count()).toBe(0);
    expectQuiet(page);
  });

  test('a site shows its failures and its bans with their evidence, and is banned and allowed again', async () => {
    const page = await openPage();
    await world.ask('POST', `/sites/${encodeURIComponent(HOSTILE_SITE)}/ban`, { reason: HOSTILE_NAME });
    await page.goto(world.url('/sites'));
    const north = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'north' }) });
    await north.getByText('banned for 1 request').waitFor();
    await north.getByText(/attempts failed \(\d+(\.\d)? %\), 8 of them for reasons of the site/).waitFor();
    await north.getByText('Evidence: 8 of 12 attempts failed for reasons of the site (66.7 %)').waitFor();
    await north.getByText(/ends in 6d23h/).waitFor();
    await page.getByText(HOSTILE_SITE).first().waitFor();
    await expectNoMarkup(page);

    await page.getByRole('button', { name: 'Ban a site …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Site').fill('west');
    await dialog.getByLabel('Days').fill('-1');
    await dialog.getByText('Must be a number above 0').waitFor();
    expect(await dialog.getByRole('button', { name: 'Ban west' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Days').fill('2');
    await dialog.getByText('New work avoids west for 2 days.').waitFor();
    await dialog.getByLabel('Reason').fill('power cut');
    await dialog.getByRole('button', { name: 'Ban west' }).click();
    await page.getByText('Site west is banned for all work.').waitFor();
    await page.getByText('power cut').waitFor();
    await page.getByRole('button', { name: 'Unban west' }).click();
    await dialog.getByText('for all work: power cut').waitFor();
    await dialog.getByRole('button', { name: 'Remove 1 ban' }).click();
    await page.getByText('1 ban of site west removed.').waitFor();
    await page.getByRole('heading', { name: 'west' }).waitFor({ state: 'detached' });
    expectQuiet(page);
  });

  test('workers show what they have and run, are drained after a question, and allocations are canceled', async () => {
    const page = await openPage();
    await page.goto(world.url('/workers'));
    const card = page.getByRole('listitem').filter({ has: page.getByText('big-memory') });
    await card.getByRole('link', { name: 'train' }).waitFor();
    await card.getByText('north', { exact: true }).waitFor();
    await card.getByText(/\d CPUs?, .* of memory, at most 8 jobs at once/).waitFor();
    await card.getByRole('button', { name: /^Drain worker/ }).click();
    await page.getByRole('dialog').getByText('It ends the 1 job that it has').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Drain worker/ })
      .click();
    await card.getByText('draining', { exact: true }).waitFor();
    await expect.poll(() => card.getByRole('button', { name: /^Drain/ }).count()).toBe(0);

    const allocations = page.getByRole('region', { name: 'Allocations' });
    await allocations.getByRole('button', { name: 'Cancel allocation 2' }).click();
    await page.getByLabel('Reason').fill('the account is used up');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel allocation 2' }).click();
    await allocations.getByText('Allocation 2', { exact: true }).waitFor({ state: 'detached' });
    await allocations.getByRole('button', { name: 'All', exact: true }).click();
    await allocations.getByText(/^unsubmitted: .*the account is used up/).waitFor();
    world.touch('release-workers');
    await card.waitFor({ state: 'detached' });
    expectQuiet(page);
  });
}

async function expectNoMarkup(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
  expect(await page.locator('[href^="javascript"], #app img, #app script').count()).toBe(0);
}

/** For one who may only look. */
export async function expectNoRequestButtons(page: Page, world: WebWorld, request: string): Promise<void> {
  for (const [path, heading] of [
    [`/requests/${request}`, 'History'],
    ['/sites', 'local'],
    ['/workers', 'Workers'],
  ] as const) {
    await page.goto(world.url(path));
    await page.getByRole('heading', { name: heading }).first().waitFor();
    expect([
      path,
      await page.getByRole('button', { name: /…$|^Ban |^Unban|^Drain|^Cancel/ }).count(),
    ]).toEqual([path, 0]);
  }
}
