import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { nightly } from './specs.ts';
import { walkWithTab } from './tab-walk.ts';
import type { WebWorld } from './web-world.ts';

/** The header of a page and something on it: fewer would be a page that is not there. */
const FEWEST = 9;

const SPEC = 'name: short\njobs:\n  - name: only\n    command: "true"\n';

/** What people do who use no mouse. */
export function keyboardBehaviour(world: WebWorld): void {
  const ids = { workflow: 0, job: 0 };

  beforeAll(async () => {
    ids.workflow = await world.run(
      nightly('keyboard-night', 11),
      ({ counts }) => counts.pending_failed === 4,
    );
    const { items } = (await world.ask('GET', `/workflows/${ids.workflow}/jobs?name=reconstruct_2`)) as {
      items: { id: number }[];
    };
    ids.job = items[0]!.id;
    await world.request({
      spec: {
        kind: 'request',
        name: 'keyboard-request',
        work: { range: { total: 1, per_job: 1 } },
        process: { command: 'true', labels: ['nowhere'] },
      },
    });
    await world.reaches('keyboard-request', 'ACTIVE');
  });

  const fillSpec = (page: Page) => page.getByRole('textbox', { name: 'Spec' }).fill(SPEC);
  const workflow = (rest: string) => () => `/workflows/${ids.workflow}${rest}`;

  test.each<[name: string, path: () => string, isThere: string, prepare?: (page: Page) => Promise<void>]>([
    ['home', () => '/', 'keyboard-night'],
    ['workflow', workflow(''), 'reconstruct_2'],
    ['graph', workflow('?tab=graph'), 'reconstruct_*'],
    ['timeline', workflow('?tab=timeline'), 'reconstruct_2'],
    ['grid', workflow('?tab=grid'), 'reconstruct_2'],
    ['routes', workflow('?tab=routes'), 'No route was taken'],
    ['events', workflow('?tab=events'), 'workflow created'],
    ['update', workflow('?tab=update'), 'Paste the whole spec', fillSpec],
    ['job', () => `/workflows/${ids.workflow}/jobs/${ids.job}`, 'no rule matches'],
    ['triage', workflow('/triage'), 'Connection refused'],
    ['requests', () => '/requests', 'keyboard-request'],
    ['request', () => '/requests/keyboard-request', 'History'],
    ['sites', () => '/sites', 'Ban a site'],
    ['workers', () => '/workers', 'Drain'],
    ['new', () => '/new', 'New workflow', fillSpec],
  ])(
    'Tab reaches every control of the page %s, and each shows that it has the focus',
    async (_name, path, there, prepare) => {
      const page = await openPage();
      await page.goto(world.url(path()));
      await page.getByText(there).first().waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      if (prepare !== undefined) {
        await prepare(page);
        await page.getByRole('heading', { name: /^Plan/ }).waitFor();
      }
      const { reached, missed, unmarked } = await walkWithTab(page);
      expect({ missed, unmarked }).toEqual({ missed: [], unmarked: [] });
      expect(reached).toBeGreaterThanOrEqual(FEWEST);
      expectQuiet(page);
    },
  );

  test('a control that Tab leaves out and one that does not show its focus are found', async () => {
    const page = await openPage();
    await page.setContent(`<button>good</button><button tabindex="-1">left out</button>
      <a href="#" style="outline: none">unmarked</a><button disabled>off</button><button hidden>hidden</button>`);
    expect(await walkWithTab(page)).toEqual({
      reached: 2,
      missed: ['button left out'],
      unmarked: ['a unmarked'],
    });
  });

  test('each key of triage does what the list of keys says', async () => {
    const page = await openPage();
    await page.goto(world.url(`/workflows/${ids.workflow}/triage`));
    const group = (title: string) => page.getByRole('heading', { name: title }).waitFor();
    const dialog = async (key: string, title: string) => {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await group('3 jobs: exit 11');
    await page.keyboard.press('j');
    await group('1 job: exit 3');
    await dialog('f', 'Fail 1 job');
    await page.keyboard.press('k');
    await group('3 jobs: exit 11');
    await dialog('r', 'Retry 3 jobs');
    await dialog('?', 'Keys');

    await page.keyboard.press('/');
    await page.keyboard.type('BACKGROUND');
    await group('1 job: exit 3');
    await page.getByText('1 of 2 groups').waitFor();
    expect(page.url()).toContain('name=BACKGROUND');
    await expectAccessible(page);
    await page.keyboard.type(' or not');
    await page.getByText('No failure matches this search.').waitFor();
    expect((await world.status(ids.workflow)).counts.pending_failed).toBe(4);
    expectQuiet(page);
  });

  test('a workflow is found and opened with the keyboard alone, and ? lists the keys', async () => {
    await world.submit({ name: 'by-keyboard', jobs: [{ name: 'a', command: 'true' }] });
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByRole('link', { name: 'by-keyboard' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('by-key');
    await page.waitForURL(/name=by-key/);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'by-keyboard' }).waitFor();
    expectQuiet(page);
  });
}
