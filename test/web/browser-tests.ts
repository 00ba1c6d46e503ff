import { afterAll, beforeAll, describe, test } from 'vitest';
import { closeBrowser } from './browser.ts';
import { WebWorld } from './web-world.ts';

/** npm has a Chromium that needs no installation for this alone. */
const HAS_BROWSER = 'linux-x64';
const here = `${process.platform}-${process.arch}`;

/** Tests of pages, by what they are about. Those of a file share a browser, and the server of the world that they get. */
export function browserTests(subjects: Record<string, (world: WebWorld) => void>): void {
  if (here !== HAS_BROWSER) {
    test.skip(`pages are tested on ${HAS_BROWSER}, and this is ${here}`);
    return;
  }
  const world = new WebWorld();

  beforeAll(async () => {
    await world.start();
  });

  afterAll(async () => {
    await closeBrowser();
    await world.stop();
  });

  for (const [subject, behaviour] of Object.entries(subjects)) describe(subject, () => behaviour(world));
}
