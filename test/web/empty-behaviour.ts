import { expect, test } from 'vitest';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import type { WebWorld } from './web-world.ts';

/** Pages of a server that nobody has used yet, besides its own worker. */
export function emptyBehaviour(world: WebWorld): void {
  test('a page without anything says what would be there, and one of nothing that it is not there', async () => {
    const page = await openPage();
    for (const [path, words] of [
      ['/', 'takes a spec here; holdfast submit SPEC'],
      ['/requests', 'No request yet.'],
      ['/requests?show=held', 'No request is in these states.'],
      ['/sites?show=banned', 'No site is banned.'],
      ['/workers?allocations=all', 'No allocation yet'],
    ] as const) {
      await page.goto(world.url(path));
      await page.getByText(words).waitFor();
      await expectAccessible(page);
    }
    await page.goto(world.url('/'));
    await page.getByRole('region', { name: 'Workflows' }).getByRole('link', { name: 'New' }).click();
    await page.getByRole('heading', { name: 'New workflow' }).waitFor();
    expectQuiet(page);
    await page.goto(world.url('/requests/nothing'));
    await page.getByRole('alert').getByText('There is no request nothing').waitFor();
    expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);
    expectQuiet(page, /404/);
  });
}
