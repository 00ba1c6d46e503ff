import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { HUGE, PIPELINE } from './specs.ts';
import { screenshot, type WebWorld } from './web-world.ts';

/** What a workflow looks like besides its table of jobs. */
export function workflowBehaviour(world: WebWorld): void {
  let pipeline = 0;

  beforeAll(async () => {
    pipeline = await world.run(PIPELINE, ({ complete }) => complete);
  });

  const VIEWS: [name: string, query: string, isThere: string][] = [['graph', 'tab=graph', 'align_*']];

  describe.each([{ dark: false }, { dark: true }])('with %j', (look) => {
    test.each(VIEWS)('the view %s is accessible, and its console is quiet', async (name, query, there) => {
      const page = await openPage(look);
      await page.goto(world.url(`/workflows/${pipeline}?${query}`));
      await page.getByText(there).first().waitFor();
      await screenshot(page, `${name}-${look.dark ? 'dark' : 'light'}`);
      await expectAccessible(page);
      expectQuiet(page);
    });
  });

  test('on a phone no view is wider than the screen', async () => {
    const page = await openPage({ phone: true });
    for (const [, query, there] of VIEWS) {
      await page.goto(world.url(`/workflows/${pipeline}?${query}`));
      await page.getByText(there).first().waitFor();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([query, excess]).toEqual([query, 0]);
    }
    expectQuiet(page);
  });

  test('a graph shows groups of jobs with what they wait for, and lists the jobs of one by keyboard', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${pipeline}`));
    await page.getByRole('button', { name: 'Graph' }).click();
    const group = page.getByRole('button', { name: /^align_\*/ });
    expect(await group.textContent()).toContain(', after fetch');
    await group.focus();
    await page.keyboard.press('Enter');
    const jobs = page.getByRole('region', { name: 'align_*' });
    await jobs.getByText('48 shown').waitFor();
    await jobs.getByRole('button', { name: 'Show more' }).click();
    await jobs.getByText('60 shown').waitFor();
    await jobs.getByRole('button', { name: /^failed/ }).click();
    await jobs.getByText('2 shown').waitFor();
    await page.reload();
    await jobs.getByRole('link', { name: 'align_7', exact: true }).click();
    await page.getByRole('heading', { name: 'align_7' }).waitFor();
    expectQuiet(page);
  });

  test('100,000 jobs are read in few rows', async () => {
    const huge = await world.submit(HUGE);
    const page = await openPage();
    const rows: number[] = [];
    page.on('response', async (response) => {
      const { items, groups } = (await response.json().catch(() => ({}))) as {
        items?: unknown[];
        groups?: unknown[];
      };
      rows.push(items?.length ?? groups?.length ?? 0);
    });
    const began = performance.now();
    await page.goto(world.url(`/workflows/${huge}`));
    await page.getByRole('link', { name: 'simulate_1', exact: true }).waitFor();
    console.log(`100,000 jobs: first rows after ${Math.round(performance.now() - began)} ms`);
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByRole('button', { name: /^analyse_\*/ }).click();
    await page.getByRole('link', { name: 'analyse_48' }).waitFor();
    expect(Math.max(...rows)).toBeLessThanOrEqual(200);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_500);
    expectQuiet(page);
  });
}
