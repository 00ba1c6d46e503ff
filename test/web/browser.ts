import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** A browser for all tests of the process; it ends with it. */
let browser: Promise<Browser> | undefined;

/** The build of Chromium that npm brings along, so that nothing has to be installed besides. */
async function launch(): Promise<Browser> {
  const { default: packed } = await import('@sparticuz/chromium');
  const executablePath = await packed.executablePath();
  // Its own list is for a function in a cloud: one process, and no rules about origins.
  const args = [
    '--no-sandbox',
    '--disable-setuid-sandbox',
    '--no-zygote',
    '--disable-gpu',
    '--font-render-hinting=none',
  ];
  try {
    return await chromium.launch({ executablePath, args, headless: true });
  } catch (error) {
    throw new Error(`Chromium from npm cannot start here (${executablePath}): ${(error as Error).message}`);
  }
}

export interface Look {
  dark?: boolean;
  phone?: boolean;
}

/** A page of its own; what its console says against it is an error of the test. */
export async function openPage({ dark = false, phone = false }: Look = {}): Promise<Page> {
  browser ??= launch();
  const context = await (await browser).newContext({
    colorScheme: dark ? 'dark' : 'light',
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  watch(context, page);
  return page;
}

const problems = new WeakMap<Page, string[]>();

function watch(_context: BrowserContext, page: Page): void {
  const found: string[] = [];
  problems.set(page, found);
  page.on('pageerror', (error) => found.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text());
  });
}

/** `except`: what a test provokes, such as requests to a server that is gone. */
export function expectQuiet(page: Page, except?: RegExp): void {
  expect(problems.get(page)!.filter((text) => except === undefined || !except.test(text))).toEqual([]);
}

/** Nothing that keeps people from using the page: what axe calls serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the browser's debugger, which the policy of the page does not apply to.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    serious.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
  ).toEqual([]);
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
