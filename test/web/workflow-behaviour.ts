import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { HUGE, PIPELINE, ROUTED, STAGED, TWICE } from './specs.ts';
import { screenshot, type WebWorld } from './web-world.ts';

/** What a workflow looks like besides its table of jobs. */
export function workflowBehaviour(world: WebWorld): void {
  const ids = { pipeline: 0, twice: 0, routed: 0, staged: 0 };
  let huge: Promise<number>;

  beforeAll(async () => {
    [ids.pipeline, ids.twice, ids.routed] = await Promise.all([
      world.run(PIPELINE, ({ complete }) => complete),
      world.run(TWICE, ({ complete }) => complete),
      world.run(ROUTED, ({ complete }) => complete),
    ]);
    world.touch('second-run');
    for (const body of [{}, { jobs: ['export_3'] }]) {
      await world.order(ids.twice, 'reset-status', body);
      await world.until(ids.twice, ({ exit_code }) => exit_code === 0);
    }
    ids.staged = await world.run(STAGED, ({ counts }) => counts.running === 1 && counts.completed === 7);
    huge = world.submit(HUGE);
  });

  afterAll(() => world.touch('stop-training'));

  const VIEWS: [name: string, path: () => string, isThere: string][] = [
    ['graph', () => `${ids.pipeline}?tab=graph`, 'align_*'],
    ['timeline', () => `${ids.pipeline}?tab=timeline`, 'index'],
    ['grid', () => `${ids.twice}?tab=grid`, 'export_3'],
    ['routes', () => `${ids.routed}?tab=routes`, 'goto compile'],
    ['stages', () => `${ids.staged}`, 'once it starts'],
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
    await rows
      .getByRole('img', { name: /^waited \S+ for a worker; / })
      .first()
      .waitFor();
    await page.getByRole('searchbox').fill('call_');
    await page.getByText('4 shown').waitFor();
    expectQuiet(page);
  });

  test('filters are saved with a name, chosen again and deleted, whatever the browser has stored', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.pipeline}?status=failed`));
    const views = page.getByRole('group', { name: 'Saved views' });
    await views.getByRole('button', { name: 'Save this view' }).click();
    await views.getByLabel('Name of the view').fill('<b>broken</b>');
    await page.keyboard.press('Enter');
    const view = views.getByRole('button', { name: '<b>broken</b>', exact: true });
    await expect.poll(() => view.getAttribute('aria-pressed')).toBe('true');
    await expectAccessible(page);
    await page.goto(world.url(`/workflows/${ids.twice}?tab=grid`));
    await view.click();
    await page.waitForURL(/tab=grid&status=failed$/);
    await page.goto(world.url('/?show=open&name=never'));
    await page.getByText('No workflow matches these filters.').waitFor();
    await views.getByRole('button', { name: 'Save this view' }).click();
    await views.getByLabel('Name of the view').fill('open ones');
    await views.getByRole('button', { name: 'Save', exact: true }).click();
    const ofHome = views.getByRole('button', { name: 'open ones', exact: true });
    await ofHome.click();
    await page.waitForURL(/\/$/);
    await page.reload();
    await ofHome.click();
    await page.waitForURL(/\?(?=.*show=open)(?=.*name=never)/);
    await views.getByRole('button', { name: 'Delete the view open ones' }).click();
    await ofHome.waitFor({ state: 'detached' });

    const hostile = [
      '{',
      '[]',
      '"text"',
      '{"home":{"length":9}}',
      '{"home":[null,1,[],{"name":7,"filters":{}},{"name":"x","filters":null},{"name":"y","filters":{"tab":"a"}}]}',
      JSON.stringify({
        home: [{ name: '<img src=x onerror="hurt=1">', filters: { name: 'javascript:hurt=1', show: 1 } }],
      }),
    ];
    for (const text of hostile) {
      await page.evaluate((stored) => localStorage.setItem('holdfast-views', stored), text);
      await page.goto(world.url('/'));
      await page.getByRole('link', { name: 'New' }).waitFor();
      await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    }
    await views.getByRole('button', { name: '<img src=x onerror="hurt=1">', exact: true }).click();
    await page.waitForURL(/\?name=javascript/);
    expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
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

  test('routes are in the words of the end of a run, newest first', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.routed}`));
    await page.getByRole('button', { name: 'Routes' }).click();
    const lines = page.getByRole('list', { name: 'Routes, newest first' }).getByRole('listitem');
    await expect.poll(() => lines.count()).toBeGreaterThanOrEqual(3);
    const texts = await lines.allTextContents();
    expect(texts[0]).toMatch(/unit.*attempt 1.*goto compile.*exit 3.*loops: 2 of 6/);
    expect(texts.some((text) => /compile.*remediation format/.test(text))).toBe(true);
    expectQuiet(page);
  });

  test('a running workflow has its stages with how far they are and how long they take', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.staged}`));
    await page.getByRole('heading', { name: 'Stages: 1 of 4 ended' }).waitFor();
    const stage = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await stage('train_*')
      .getByText(/^about .* left$/)
      .waitFor();
    await stage('train_*').getByText('4 of 12').waitFor();
    await stage('summary')
      .getByText(/^about .* once it starts$/)
      .waitFor();
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
    const painted = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    );
    expect(painted).toBeDefined();
    console.log(`100,000 jobs: first paint after ${Math.round(painted!)} ms`);
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByRole('button', { name: /^analyse_\*/ }).click();
    await page.getByRole('link', { name: 'analyse_48' }).waitFor();
    expect(Math.max(...rows)).toBeLessThanOrEqual(200);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_500);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    console.log(`100,000 jobs: heap of the page ${Math.round(usedSize / 2 ** 20)} MB`);
    expect(usedSize).toBeLessThan(300 * 2 ** 20);
    expectQuiet(page);
  });
}
