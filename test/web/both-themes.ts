import type { Page } from 'playwright-core';
import { expectAccessible } from './browser.ts';
import { screenshot } from './web-world.ts';

/** The page as it is now, dark and light: it is accessible in both, and the documentation gets a picture of each. */
export async function showInBothThemes(page: Page, name: string, part?: 'seen' | 'whole'): Promise<void> {
  // The light one last: tests begin in it.
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await screenshot(page, `${name}-${colorScheme}`, part);
    await expectAccessible(page);
  }
}
