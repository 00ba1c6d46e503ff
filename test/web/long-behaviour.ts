import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { ENDLESS, ENDLESS_NAME, FLOOD, MANY_KINDS } from './specs.ts';
import type { WebWorld } from './web-world.ts';

/** What is longer than anybody expects: names, lines, logs and lists. */
export function longBehaviour(world: WebWorld): void {
  const ids = { endless: 0, flood: 0, kinds: 0 };

  beforeAll(async () => {
    [ids.endless, ids.kinds] = await Promise.all([
      world.run(ENDLESS, ({ counts }) => counts.pending_failed === 1),
      world.run(MANY_KINDS, ({ counts }) => counts.pending_failed === 30),
    ]);
    ids.flood = await world.run(FLOOD, ({ counts }) => counts.running === 1);
  });

  const excess = (page: Page) =>
    page.evaluate(() => {
      const wide = [...document.querySelectorAll('dialog[open]')].filter(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      );
      return document.documentElement.scrollWidth - innerWidth + wide.length;
    });

  test('names that do not end are wrapped on a phone, in dialogs too', async () => {
    const page = await openPage({ phone: true });
    await page.goto(world.url('/'));
    await page.getByRole('link', { name: ENDLESS.name, exact: true }).first().waitFor();
    expect(await excess(page)).toBe(0);
    for (const tab of ['jobs', 'graph', 'timeline', 'grid', 'events']) {
      await page.goto(world.url(`/workflows/${ids.endless}?tab=${tab}`));
      await page.getByText(ENDLESS_NAME).first().waitFor();
      expect([tab, await excess(page)]).toEqual([tab, 0]);
    }
    await page.goto(world.url(`/workflows/${ids.endless}?status=pending_failed`));
    await page.getByRole('checkbox', { name: `Choose ${ENDLESS_NAME}` }).check();
    await page.getByRole('button', { name: 'Start over …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Run 2 begins.').waitFor();
    expect(await excess(page)).toBe(0);
    const close = (await dialog.getByRole('button', { name: 'Close' }).boundingBox())!;
    expect(close.x + close.width).toBeLessThan(page.viewportSize()!.width);
    await page.goto(world.url(`/workflows/${ids.endless}/triage`));
    await page.getByText('the last words').waitFor();
    expect(await excess(page)).toBe(0);
    await page.getByRole('heading', { level: 3 }).getByRole('link', { name: ENDLESS_NAME }).click();
    await page.getByRole('log').getByText('the last words').waitFor();
    expect(await excess(page)).toBe(0);
    expectQuiet(page);
  });

  test('on a phone the table has room for names beside the longest status', async () => {
    const page = await openPage({ phone: true });
    await page.goto(world.url(`/workflows/${ids.kinds}`));
    const { width } = (await page.getByRole('link', { name: 'kind_aa', exact: true }).boundingBox())!;
    expect(width).toBeGreaterThan(140);
  });

  test('triage begins at the end of a long error, which Last error finds too', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.endless}/triage`));
    const words = page.getByText('the last words');
    await words.waitFor();
    const frame = (await page.locator('pre').boundingBox())!;
    const line = (await words.boundingBox())!;
    expect(line.y + line.height).toBeLessThanOrEqual(frame.y + frame.height);
    await page.getByRole('heading', { level: 3 }).getByRole('link', { name: ENDLESS_NAME }).click();
    await page.getByRole('button', { name: 'Last error' }).click();
    const marked = page.getByRole('log').locator('[aria-current=true]');
    await expect.poll(() => marked.textContent()).toMatch(/^ValueError: /);
    // A line is as wide as its text until it is wrapped.
    expect((await marked.boundingBox())!.width).toBeGreaterThan(2_000);
    await page.getByRole('button', { name: 'Wrap lines' }).click();
    await expect.poll(async () => (await marked.boundingBox())!.width).toBeLessThan(1_280);
    expect((await marked.boundingBox())!.height).toBeGreaterThan(40);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Wrap lines' }).click();
    await expect.poll(async () => (await marked.boundingBox())!.height).toBe(20);
    expectQuiet(page);
  });

  test('a log that grows by megabytes in its last moment is followed to its end', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.flood}`));
    await page.getByRole('link', { name: 'flood' }).click();
    const log = page.getByRole('log');
    await log.getByText('before the flood').waitFor();
    world.touch('begin-flood');
    await log.getByText('after the flood').waitFor();
    await page.getByText('8.4m; the attempt has ended').waitFor();
    expectQuiet(page);
  });

  test('keys lead to groups that are out of sight, and what is decided stays in sight', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.kinds}/triage`));
    const groups = page.getByRole('navigation', { name: 'Groups of failures' }).getByRole('button');
    await expect.poll(() => groups.count()).toBe(30);
    const isInSight = (box: { y: number; height: number } | null) =>
      box !== null && box.y >= 0 && box.y + box.height <= page.viewportSize()!.height;
    expect(isInSight(await groups.last().boundingBox())).toBe(false);
    for (let pressed = 1; pressed < 30; pressed += 1) await page.keyboard.press('j');
    await expect.poll(() => groups.last().getAttribute('aria-current')).toBe('true');
    await expect.poll(async () => isInSight(await groups.last().boundingBox())).toBe(true);
    expect(isInSight(await page.getByRole('button', { name: 'Retry …' }).boundingBox())).toBe(true);
    expectQuiet(page);
  });
}
