import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AttentionItem } from '../../src/contract/records/overview.ts';
import { worker } from '../cli/records.ts';
import { closeBrowser, expectAccessible, expectQuiet, openPage } from './browser.ts';
import { READINGS } from './request-specs.ts';
import { HUGE, MANY_KINDS, nightly } from './specs.ts';
import { WebWorld } from './web-world.ts';

/** npm has a Chromium that needs no installation for this alone. */
const HAS_BROWSER = 'linux-x64';
const here = `${process.platform}-${process.arch}`;

if (here === HAS_BROWSER) testGlances();
else test.skip(`pages are tested on ${HAS_BROWSER}, and this is ${here}`);

/** Fails at every attempt, and says in each which one it is. */
const STUBBORN = {
  name: 'many-attempts',
  retry_defaults: { max_retries_failure: 6, initial_retry_delay_ms: 1 },
  jobs: [
    { name: 'stubborn', command: 'echo "attempt $HOLDFAST_ATTEMPT_ID found no convergence" >&2; exit 9' },
  ],
};

/** What people see before they read: what waits, what failed and why, on any screen. */
function testGlances(): void {
  const world = new WebWorld();
  const ids = { nightly: 0, kinds: 0, stubborn: 0, huge: 0 };

  beforeAll(async () => {
    await world.start();
    [ids.nightly, ids.kinds, ids.stubborn] = await Promise.all([
      world.run(nightly('night', 7), ({ counts }) => counts.pending_failed === 4),
      world.run(MANY_KINDS, ({ counts }) => counts.pending_failed === 30),
      world.run(STUBBORN, ({ complete }) => complete),
    ]);
    await world.request(READINGS);
    await world.reaches('readings-2025B', 'HELD');
    ids.huge = await world.submit(HUGE);
  });

  afterAll(async () => {
    await closeBrowser();
    await world.stop();
  });

  /** How much wider than the screen the page is, and than their place the names of the pages. */
  const excess = (page: Page) =>
    page.evaluate(() => {
      const nav = document.querySelector('header nav')!;
      return [document.documentElement.scrollWidth - innerWidth, nav.scrollWidth - nav.clientWidth];
    });

  const linesOfHeader = (page: Page) =>
    page.evaluate(() => {
      const places = [...document.querySelectorAll('header > div > *')]
        .map((part) => part.getBoundingClientRect())
        .sort((one, other) => one.top - other.top);
      let lines = 0;
      let end = Number.NEGATIVE_INFINITY;
      for (const { top, bottom } of places) {
        if (top >= end) lines += 1;
        end = Math.max(end, bottom);
      }
      return lines;
    });

  async function jobPath(workflow: number, name: string): Promise<string> {
    const { items } = (await world.ask('GET', `/workflows/${workflow}/jobs?name=${name}`)) as {
      items: { id: number }[];
    };
    return `/workflows/${workflow}/jobs/${items[0]!.id}`;
  }

  test('the first page has the largest groups of failures with their errors, and held requests beside them', async () => {
    const page = await openPage();
    await page.goto(world.url('/'));
    const waiting = page.getByRole('region', { name: '33 things need a decision' });
    await waiting.getByText('3 jobs failed with exit 7 and wait for a decision').waitFor();
    await waiting.getByText('Connection refused by db.example:5432').waitFor();
    await waiting.getByText('Request readings-2025B is held').waitFor();
    const lines = waiting.getByRole('listitem');
    expect(await lines.count()).toBe(4);
    const workflows = (await page.getByRole('heading', { name: 'Workflows' }).boundingBox())!;
    expect(workflows.y).toBeLessThan(page.viewportSize()!.height);
    await waiting.getByRole('button', { name: 'Show 29 more' }).click();
    await expect.poll(() => lines.count()).toBe(33);
    await expectAccessible(page);
    await waiting.getByRole('button', { name: 'Show fewer' }).click();
    await expect.poll(() => lines.count()).toBe(4);
    expectQuiet(page);
  });

  test('the first page has paused schedulers and workers that are silent or lost, and resumes a scheduler', async () => {
    const page = await openPage();
    const now = Date.now();
    const of = (state: 'suspect' | 'lost', id: number, ends: number) =>
      worker(1, { id, host: 'node-3', state, running: 2, lease_expires_at_ms: now + ends });
    const items: AttentionItem[] = [
      {
        kind: 'scheduler',
        workflow_id: ids.nightly,
        workflow_name: 'night',
        name: 'gpu',
        reason: 'sbatch was refused three times',
        paused_at_ms: now - 60_000,
      },
      { kind: 'worker', worker: of('suspect', 7, 120_000) },
      { kind: 'worker', worker: of('lost', 8, -120_000) },
    ];
    await page.route('**/api/v1/attention', (route) => route.fulfill({ json: { items } }));
    await page.goto(world.url('/'));
    const waiting = page.getByRole('region', { name: '4 things need a decision' });
    await waiting.getByText('Scheduler gpu is paused: sbatch was refused three times').waitFor();
    await waiting.getByText('Worker 7 on node-3 is silent').waitFor();
    await waiting.getByText('it holds 2 jobs; its lease ends in').waitFor();
    await waiting.getByText('Worker 8 on node-3 is lost').waitFor();
    await waiting.getByText('it holds 2 jobs; its lease ended').waitFor();
    await expectAccessible(page);
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await waiting.getByRole('button', { name: 'Resume scheduler' }).click();
    expect(new URL((await asked).url()).pathname).toBe(
      `/api/v1/workflows/${ids.nightly}/schedulers/gpu/resume`,
    );
    // That scheduler is made up, which the server says.
    await waiting.getByRole('alert').waitFor();
    expectQuiet(page, /404/);
  });

  test('triage lists past decisions about such failures, and how each turned out', async () => {
    const workflow = await world.run(
      {
        name: 'again-and-again',
        use_pending_failed: true,
        retry_defaults: { max_retries_failure: 0 },
        jobs: [{ name: 'poll', command: 'echo "the queue is full" >&2; exit 12' }],
      },
      ({ counts }) => counts.pending_failed === 1,
    );
    const { items } = (await world.ask('GET', `/workflows/${workflow}/jobs`)) as { items: { id: number }[] };
    const decision = { job_id: items[0]!.id, action: 'retry', memory: '2g', reason: 'it was night' };
    await world.order(workflow, 'resolve', { decisions: [decision] });
    await world.until(
      workflow,
      ({ counts, attempts }) => counts.pending_failed === 1 && attempts.finished === 2,
    );
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflow}/triage`));
    const past = page.getByRole('region', { name: 'Past decisions' });
    await past.getByText('1 retried (0 succeeded, 1 failed again), 0 failed for good.').waitFor();
    await past.getByText('decided to retry with 2g of memory: it was night; it failed again').waitFor();
    await page.getByText('memory 2g').waitFor();
    expectQuiet(page);
  });

  test('on a screen of 320 pixels the names of the pages are whole, and nothing is wider than it', async () => {
    const page = await openPage({ phone: true });
    await page.setViewportSize({ width: 320, height: 640 });
    const job = await jobPath(ids.stubborn, 'stubborn');
    for (const [path, there] of [
      ['/', 'things need a decision'],
      ['/requests', 'readings-2025B'],
      ['/requests/readings-2025B', 'History'],
      ['/sites', 'Ban a site'],
      ['/workers', 'Drain'],
      ['/new', 'New workflow'],
      [`/workflows/${ids.nightly}`, 'reconstruct_1'],
      [`/workflows/${ids.nightly}/triage`, 'Connection refused'],
      [job, 'attempt 7 found'],
    ] as const) {
      await page.goto(world.url(path));
      await page.getByText(there).first().waitFor();
      expect([path, await excess(page), await linesOfHeader(page)]).toEqual([path, [0, 0], 2]);
    }
    expectQuiet(page);
  });

  test('a workflow has the error of what failed, and stages only where one has several jobs', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.stubborn}`));
    const failed = page.getByRole('region', { name: 'What failed' });
    await failed.getByText('1 job: exit 9').waitFor();
    await failed.getByText('attempt 7 found no convergence').waitFor();
    await page.goto(world.url(`/workflows/${ids.nightly}`));
    await page.getByRole('heading', { name: 'Stages: 1 of 4 ended' }).waitFor();
    const asked = page.waitForResponse(/\/graph$/);
    await page.goto(world.url(`/workflows/${ids.kinds}`));
    await (await asked).finished();
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByText('30 groups of jobs').waitFor();
    expect(await page.getByRole('heading', { name: /^Stages/ }).count()).toBe(0);
    expectQuiet(page);
  });

  test('the log of every attempt can be chosen, however many there were, and each is seen in the timeline', async () => {
    const page = await openPage();
    await page.goto(world.url(await jobPath(ids.stubborn, 'stubborn')));
    const log = page.getByRole('log');
    await log.getByText('attempt 7 found').waitFor();
    await page.getByRole('combobox', { name: 'Attempt' }).selectOption('Attempt 1');
    await log.getByText('attempt 1 found').waitFor();
    await expectAccessible(page);
    await page.goto(world.url(`/workflows/${ids.stubborn}?tab=timeline`));
    const retried = page.getByRole('table').locator('rect[class*="span-retried"]');
    await expect.poll(() => retried.count()).toBe(6);
    for (const bar of await retried.all()) expect((await bar.boundingBox())!.width).toBeGreaterThan(6);
    expectQuiet(page);
  });

  test('a job that waits for many others names a few of them, and how many more there are', async () => {
    const page = await openPage();
    await page.goto(world.url(await jobPath(ids.huge, 'merge')));
    await page.getByText('and 49,993 more jobs').waitFor();
    expect(
      await page
        .getByRole('listitem')
        .getByRole('link', { name: /^analyse_/ })
        .count(),
    ).toBe(5);
    expectQuiet(page);
  });

  test('jobs are chosen by a pattern as in commands, and actions mean the jobs that are listed', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.kinds}`));
    await page.getByText('30 shown').waitFor();
    await page.getByRole('searchbox').fill('KIND_b?');
    await page.getByText('4 shown').waitFor();
    await page.getByText('All jobs named KIND_b?:').waitFor();
    await page.getByRole('button', { name: 'Cancel …', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel: jobs named KIND_b?' });
    await dialog.getByText('4 jobs not running: canceled at once.').waitFor();
    await dialog.getByRole('button', { name: 'Leave as it is' }).click();
    await page.getByRole('searchbox').fill('ind_b?');
    await page.getByText('No job matches these filters.').waitFor();
    expectQuiet(page);
  });

  test('a dialog about one job speaks of one, and a field with a mistake is framed as one', async () => {
    const page = await openPage();
    await page.goto(world.url(await jobPath(ids.stubborn, 'stubborn')));
    await page.getByRole('button', { name: 'Retry …', exact: true }).click();
    await page.getByRole('dialog').getByText('It gets one more attempt in this run.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave as it is' }).click();
    await page.goto(world.url('/requests/readings-2025B'));
    await page.getByRole('button', { name: 'Release …' }).click();
    const dialog = page.getByRole('dialog');
    const plan = dialog.getByText(/the next round is planned/);
    await plan.waitFor();
    const memory = dialog.getByLabel('Memory');
    const frame = () => memory.evaluate((field) => getComputedStyle(field).borderColor);
    const before = await frame();
    await memory.fill('much');
    await dialog.getByText('Must be a size such as 6g.').waitFor();
    expect(await frame()).not.toBe(before);
    // What an earlier form would have done says nothing about this one.
    await plan.waitFor({ state: 'detached' });
    expectQuiet(page);
  });

  test('a command in a hint of the server is shown as one', async () => {
    const page = await openPage();
    await page.goto(world.url('/workflows/999'));
    const alert = page.getByRole('alert');
    await alert.getByText('There is no workflow 999').waitFor();
    expect(await alert.locator('code').textContent()).toBe('holdfast status');
    expect(await alert.textContent()).not.toContain('`');
    expectQuiet(page, /404/);
  });

  test('a request that is submitted on the page New leads to its page', async () => {
    const page = await openPage();
    await page.goto(world.url('/new'));
    await page.getByRole('textbox', { name: 'Spec' }).fill(
      `kind: request
name: from-a-page
work: { range: { total: 1, per_job: 1 } }
process: { command: "true", labels: [nowhere] }
`,
    );
    await page.getByRole('button', { name: 'Submit the request' }).click();
    await page.getByRole('heading', { level: 1, name: 'from-a-page' }).waitFor();
    expectQuiet(page);
  });
}
