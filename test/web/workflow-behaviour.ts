import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { HUGE, PIPELINE, TWICE } from './specs.ts';
import { screenshot, type WebWorld } from './web-world.ts';

/** What a workflow looks like besides its table of jobs. */
export function workflowBehaviour(world: WebWorld): void {
  const ids = { pipeline: 0, twice: 0 };
  let huge: Promise<number>;

  beforeAll(async () => {
    [ids.pipeline, ids.twice] = await Promise.all([
      world.run(PIPELINE, ({ complete }) => complete),
      world.run(TWICE, ({ complete }) => complete),
    ]);
    world.touch('second-run');
    for (const body of [{}, { jobs: ['export_3'] }]) {
      await world.order(ids.twice, 'reset-status', body);
      await world.until(ids.twice, ({ exit_code }) => exit_code === 0);
    }
    huge = world.submit(HUGE);
  });

  const VIEWS: [name: string, path: () => string, isThere: string][] = [
    ['graph', () => `${ids.pipeline}?tab=graph`, 'align_*'],
    ['timeline', () => `${ids.pipeline}?tab=timeline`, 'index'],
    ['grid', () => `${ids.twice}?tab=grid`, 'export_3'],
  ];

  describe.each([{ dark: false }, { dark: true }])('with %j', (look) => {
    test.each(VIEWS)('the view %s is accessible, and its console is quiet', async (name, path, there) => {
      const page = await openPage(look);
      await page.goto(world.url(`/workflows/${path()}`));
      await page.getByText(there).first().waitFor();
      await screenshot(page, `${name}-${look.dark ? 'dark' : 'light'}`);
      await expectAccessible(page);
      expectQuiet(page);
    });
  });

  test('on a phone no view is wider than the screen', async () => {
    const page = await openPage({ phone: true });
    for (const [, path, there] of VIEWS) {
      await page.goto(world.url(`/workflows/${path()}`));
      await page.getByText(there).first().waitFor();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path(), excess]).toEqual([path(), 0]);
    }
    expectQuiet(page);
  });

  test('a graph shows groups of jobs with what they wait for, and lists the jobs of one by keyboard', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.pipeline}`));
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

  test('a timeline has attempts, waits and recovery scripts in words, and keeps the filters of the table', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.pipeline}?status=failed`));
    await page.getByRole('button', { name: 'Timeline' }).click();
    const rows = page.getByRole('table', { name: 'Timeline of run 1' });
    await page.getByText('2 shown').waitFor();
    await rows
      .getByRole('img', {
        name: /attempt 1 failed and was retried after .*; attempt 2 failed after .*: exit 4/,
      })
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^failed/ }).click();
    await rows.getByRole('img', { name: /recovery script ran for/ }).waitFor();
    await page.getByRole('searchbox').fill('call_');
    await page.getByText('4 shown').waitFor();
    expectQuiet(page);
  });

  test('a grid has a column for each run', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.twice}?tab=grid`));
    const cells = page.getByRole('table', { name: 'Jobs by runs' }).getByRole('row').nth(1).getByRole('cell');
    await cells.nth(1).getByText('run 2: succeeded, 1 attempt').waitFor();
    await cells.nth(2).getByText('run 1: failed, 2 attempts: exit 5').waitFor();
    expectQuiet(page);
  });

  test('100,000 jobs are read in few rows', async () => {
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
    await page.goto(world.url(`/workflows/${await huge}`));
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
