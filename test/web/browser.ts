import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { until } from '../cli/run-cli.ts';

/** A browser for all tests of the process; it ends with it. */
let browser: Promise<Browser> | undefined;

/** The build of Chromium that npm brings along, so that nothing has to be installed besides. */
async function launch(): Promise<Browser> {
  const executablePath = await unpacked();
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

/** Unpacked once for all files of tests that run side by side: what is half there passes for the whole. */
async function unpacked(): Promise<string> {
  const { default: packed } = await import('@sparticuz/chromium');
  const isWhole = join(tmpdir(), 'chromium-is-unpacked');
  try {
    mkdirSync(join(tmpdir(), 'chromium-is-taken'));
  } catch {
    await until(() => existsSync(isWhole), 'Chromium is unpacked');
  }
  const path = await packed.executablePath();
  writeFileSync(isWhole, '');
  return path;
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
  watch(page);
  return page;
}

const problems = new WeakMap<Page, string[]>();
/** Requests of each page that have no answer yet. */
const unanswered = new WeakMap<Page, Set<Request>>();

function watch(page: Page): void {
  const found: string[] = [];
  problems.set(page, found);
  const open = new Set<Request>();
  unanswered.set(page, open);
  page.on('request', (request) => open.add(request));
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', (request) => open.delete(request));
  }
  page.on('pageerror', (error) => found.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text());
  });
}

/** Everything that the page has asked for was answered and is shown. */
export async function settled(page: Page): Promise<void> {
  const open = unanswered.get(page)!;
  await until(() => [...open].every(isWaitingForNews), 'requests are answered');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
}

/** Answered when something happens: a stream of events, or a long poll for changes. */
function isWaitingForNews(request: Request): boolean {
  return (
    request.resourceType() === 'eventsource' || new URL(request.url()).pathname.endsWith('/api/v1/changes')
  );
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
