import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { showInBothThemes } from './both-themes.ts';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { HOSTILE, HOSTILE_NAME, LIVE, MANY, nightly, SAMPLED } from './specs.ts';
import { screenshot, type WebWorld } from './web-world.ts';

/** What every page shows, and how it looks and behaves by itself. */
export function pageBehaviour(world: WebWorld): void {
  const workflows = { nightly: 0, many: 0, live: 0, sampled: 0 };

  beforeAll(async () => {
    const [sampled, many, night, live] = await Promise.all([
      world.run(SAMPLED, ({ complete }) => complete),
      world.run(MANY, ({ complete }) => complete),
      world.run(nightly('nightly-reconstruction', 7), ({ counts }) => counts.pending_failed === 4),
      world.run(LIVE, ({ counts }) => counts.running === 1),
    ]);
    Object.assign(workflows, { sampled, many, nightly: night, live });
  });

  afterAll(() => world.touch('stop-simulation'));

  const PAGES: [name: string, path: () => string, isThere: string][] = [
    ['home', () => '/', 'nightly-reconstruction'],
    ['workflow', () => `/workflows/${workflows.many}?status=failed`, 'odd_1'],
    ['events', () => `/workflows/${workflows.nightly}?tab=events`, 'workflow created'],
    ['triage', () => `/workflows/${workflows.nightly}/triage`, 'Connection refused'],
  ];

  describe.each([{ dark: false }, { dark: true }])('with %j', (look) => {
    const theme = look.dark ? 'dark' : 'light';

    test.each(PAGES)('the page %s is accessible, and its console is quiet', async (name, path, there) => {
      const page = await openPage(look);
      await page.goto(world.url(path()));
      await page.getByText(there).first().waitFor();
      await screenshot(page, `${name}-${theme}`);
      await expectAccessible(page);
      expectQuiet(page);
    });

    test('so is the page of a job', async () => {
      const page = await openPage(look);
      await page.goto(world.url(`/workflows/${workflows.nightly}?status=pending_failed`));
      await page.getByRole('link', { name: 'reconstruct_2' }).click();
      await page.getByRole('log').getByText('Connection refused').waitFor();
      await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
      await page.getByText('waits for a decision: no rule matches', { exact: true }).waitFor();
      await screenshot(page, `job-${theme}`);
      await expectAccessible(page);
      expectQuiet(page);
    });

    test('so are memory and CPUs of a job over time', async () => {
      const page = await openPage(look);
      await page.goto(world.url(`/workflows/${workflows.sampled}`));
      await page.getByRole('link', { name: 'stack' }).click();
      const usage = page.getByRole('region', { name: 'Resources of attempt 1' });
      await usage.getByRole('img', { name: /Memory peak \d+.* of 256m requested \(\d+ %\)/ }).waitFor();
      await usage.getByRole('img', { name: /CPUs peak (0\.\d\d|1\.\d) of 1.0 requested/ }).waitFor();
      await usage.evaluate((section) => section.scrollIntoView());
      await screenshot(page, `usage-${theme}`);
      await expectAccessible(page);
      expectQuiet(page);
    });

    test('dark or light is what the browser says until the button changes it', async () => {
      const page = await openPage(look);
      await page.goto(world.url('/'));
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await ground();
      await page.getByRole('button', { name: 'Auto' }).click();
      if (!look.dark) await page.getByRole('button', { name: 'Light' }).click();
      expect(await ground()).not.toBe(before);
      const after = await ground();
      await page.reload();
      await page.getByRole('heading', { name: 'Workflows' }).waitFor();
      expect(await ground()).toBe(after);
    });
  });

  test('on a phone nothing is wider than the screen', async () => {
    const page = await openPage({ phone: true });
    const pages = PAGES.map(([, path, there]) => [path(), there] as const);
    for (const [path, there] of pages) {
      await page.goto(world.url(path));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText(there).first().waitFor();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, excess]).toEqual([path, 0]);
      if (path === '/') await showInBothThemes(page, 'phone');
    }
    expectQuiet(page);
  });

  test('filters are in the address, and survive a reload', async () => {
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('SWEEP');
    const list = page.getByRole('region', { name: 'Workflows' });
    await list.getByText('nightly-reconstruction').waitFor({ state: 'detached' });
    expect(page.url()).toContain('name=SWEEP');
    await page.reload();
    await page.getByRole('link', { name: 'parameter-sweep' }).waitFor();
    await page.getByRole('button', { name: 'Archived' }).click();
    await page.getByText('No workflow matches these filters.').waitFor();
  });

  test('a table of many jobs has only the rows that can be seen, and reads the next page when it is scrolled', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflows.many}`));
    await page.getByText('200 shown; scroll for more').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page
      .getByRole('table')
      .getByRole('rowgroup')
      .last()
      .evaluate((frame) => frame.scrollTo(0, 190 * 41));
    await page.getByText('400 shown').waitFor();
    await page.getByRole('searchbox').fill('point_60');
    await page.getByText('2 shown').waitFor();
    await page.getByRole('link', { name: 'point_600' }).waitFor();
  });

  test('names and output of jobs are shown as they are, and are no markup', async () => {
    const workflow = await world.run(HOSTILE, ({ counts }) => counts.pending_failed === 1);
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByText(HOSTILE_NAME).first().waitFor();
    await page.goto(world.url(`/workflows/${workflow}/triage`));
    await page.locator('h3').getByRole('link', { name: HOSTILE_NAME }).click();
    await page.getByRole('log').getByText(HOSTILE_NAME).waitFor();
    await page.getByRole('button', { name: 'Cancel …' }).click();
    await page.getByRole('dialog').getByText(HOSTILE_NAME).first().waitFor();
    for (const tab of ['graph', 'timeline', 'grid', 'routes']) {
      await page.goto(world.url(`/workflows/${workflow}?tab=${tab}`));
      if (tab === 'routes') await page.getByText('No route was taken').waitFor();
      else await page.getByRole('link', { name: '<img src=x' }).first().waitFor();
    }
    expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
    expect(await page.locator('[href^="javascript"], #app img, #app script').count()).toBe(0);
    expectQuiet(page);
  });

  test('the page of a job leads to the last error in its log, and folds the rules that did not apply', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflows.nightly}`));
    await page.getByRole('link', { name: 'reconstruct_2' }).click();
    await page.getByRole('button', { name: 'Last error' }).click();
    await expect
      .poll(() => page.getByRole('log').locator('[aria-current=true]').allTextContents())
      .toEqual(['Connection refused by db.example:5432']);
    const applied = page.getByRole('list', { name: 'Rules that were checked' });
    expect(await applied.getByRole('listitem').count()).toBe(1);
    expect(await page.getByText('it was not canceled').isVisible()).toBe(false);
    await page.getByText(/^\d+ rules did not apply$/).click();
    await page.getByText('it was not canceled').waitFor();
    await expectAccessible(page);
    expectQuiet(page);
  });

  test('a log is followed while it is written, and searched', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflows.live}`));
    await page.getByRole('link', { name: 'simulate' }).click();
    const log = page.getByRole('log');
    await log
      .getByText(/^step \d+$/)
      .first()
      .waitFor();
    const count = async () => Number(/step (\d+)\D*$/.exec((await log.textContent())!)![1]);
    const first = await count();
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(first + 5);
    await page.getByRole('searchbox').fill('STEP 2');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText(/^1 of \d+ lines?$/).waitFor();
    expect(await log.locator('mark').first().textContent()).toBe('step 2');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^stdout-/);
    expectQuiet(page);
  });
}
