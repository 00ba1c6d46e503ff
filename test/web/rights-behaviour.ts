import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkflowSummary } from '../../src/contract/records/overview.ts';
import type { RequestSummary } from '../../src/contract/records/request.ts';
import { showInBothThemes } from './both-themes.ts';
import { expectQuiet, openPage, settled } from './browser.ts';
import { WebWorld } from './web-world.ts';

const CHANGES = /^(Pause|Stop|Resume|Cancel|Retry|Fail|Release|Restart|Start over|Update)/;

/** Two operators, of whom one is in a group, and a viewer. */
export function rightsBehaviour(): void {
  const world = new WebWorld({
    files: { '.holdfast/config.yaml': 'access_groups: { astro: [ann, bob] }\n' },
  });
  const tokens: Record<string, string> = {};
  let grouped: number;
  let open: number;

  /** A workflow with a failure that waits for a decision. */
  const failing = (name: string, more: object = {}) =>
    world.run(
      {
        name,
        use_pending_failed: true,
        retry_defaults: { max_retries_failure: 0 },
        ...more,
        jobs: [{ name: 'fit', command: 'echo "no convergence" >&2; exit 3' }],
      },
      ({ counts }) => counts.pending_failed === 1,
    );

  beforeAll(async () => {
    for (const name of ['ann', 'bob', 'otto']) tokens[name] = await world.token(name, 'operator');
    tokens.vera = await world.token('vera', 'viewer');
    await world.start('--auth', 'token');
    world.actAs(tokens.ann!);
    grouped = await failing('night-reduction', { access_groups: ['astro'] });
    open = await failing('flat-fields');
    await world.request({
      spec: {
        kind: 'request',
        name: 'calibration-2026',
        work: { range: { total: 1, per_job: 1 } },
        process: { command: 'true', labels: ['nowhere'] },
      },
    });
    await world.reaches('calibration-2026', 'ACTIVE');
  });

  afterAll(() => world.stop());

  async function signIn(name: string): Promise<Page> {
    const page = await openPage();
    await page.goto(world.url('/'));
    await page.getByLabel('Token').fill(tokens[name]!);
    await page.keyboard.press('Enter');
    await page.getByText(new RegExp(`^${name} \\(`)).waitFor();
    return page;
  }

  /** Every button that changes something, on each page about the workflow and the request. */
  async function buttons(page: Page, workflow: number): Promise<string[]> {
    const found: string[] = [];
    const { items } = (await world.ask('GET', `/workflows/${workflow}/jobs`)) as { items: { id: number }[] };
    const pages: [path: string, isThere: string][] = [
      [`/workflows/${workflow}`, 'fit'],
      [`/workflows/${workflow}/triage`, 'no convergence'],
      [`/workflows/${workflow}/jobs/${items[0]!.id}`, 'Next:'],
      ['/requests/calibration-2026', 'History'],
    ];
    for (const [path, isThere] of pages) {
      await page.goto(world.url(path));
      await page.getByText(isThere).first().waitFor();
      // What the server says of the caller has arrived with, or after, what is shown.
      await settled(page);
      const names = await page.getByRole('button', { name: CHANGES }).allTextContents();
      found.push(...names.map((name) => `${path.replace(/\d+$/, 'N')} ${name}`));
      if ((await page.getByRole('checkbox').count()) > 0) found.push(`${path} checkboxes`);
    }
    return found;
  }

  test('an operator sees whose work is whose, and no button for what belongs to others', async () => {
    const page = await signIn('otto');
    await page.getByRole('link', { name: 'flat-fields' }).first().waitFor();
    await page
      .getByText(/#\d+ · ann ·/)
      .first()
      .waitFor();
    expect(await page.getByText('night-reduction').count()).toBe(0);
    // Looking is not refused; the words say that it is no more than that.
    await page.getByRole('link', { name: 'Look in flat-fields' }).click();
    await page.getByText('no convergence').waitFor();
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await buttons(page, open)).toEqual([]);
    await page.goto(world.url(`/workflows/${open}`));
    await page.getByText('See the failures').waitFor();
    await page.getByText('Owner', { exact: true }).waitFor();
    await showInBothThemes(page, 'others');
    // The first request asks who is there, before anybody has signed in.
    expectQuiet(page, /401/);
  });

  test('an operator has the buttons for their own work', async () => {
    world.actAs(tokens.otto!);
    const own = await failing('own-work');
    world.actAs(tokens.ann!);
    const page = await signIn('otto');
    expect(await buttons(page, own)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/workflows\/N Pause/),
        expect.stringMatching(/triage Retry/),
        expect.stringMatching(/jobs\/N Cancel/),
      ]),
    );
    // The first request asks who is there, before anybody has signed in.
    expectQuiet(page, /401/);
  });

  test('a member of a group has the buttons for the work of the group, and none for what is only shared with all', async () => {
    const page = await signIn('bob');
    await page.getByText(/#\d+ · ann, group astro ·/).waitFor();
    expect(await buttons(page, grouped)).toContainEqual(expect.stringMatching(/triage Retry/));
    await page.goto(world.url(`/workflows/${grouped}`));
    await page.getByText('Groups', { exact: true }).waitFor();
    await page.getByText('Decide', { exact: true }).waitFor();
    expect(await buttons(page, open)).toEqual([]);
    // The first request asks who is there, before anybody has signed in.
    expectQuiet(page, /401/);
  });

  test('a token that expires leads an open page to the login, which says so and leads back to the same place', async () => {
    const began = Date.now();
    const brief = await world.token('eve', 'viewer', '20s');
    const page = await openPage();
    const address = world.url(`/workflows/${open}?status=pending_failed&name=fi`);
    await page.goto(address);
    await page.getByLabel('Token').fill(brief);
    await page.keyboard.press('Enter');
    await page.getByText('eve (viewer)').waitFor();
    await page.getByRole('link', { name: 'fit', exact: true }).first().waitFor();

    // Nothing is clicked: the page notices it by itself.
    const expired = page.getByText('Your token is no longer valid: it has expired or was revoked.');
    await expired.waitFor({ timeout: 90_000 });
    expect(Date.now() - began).toBeGreaterThanOrEqual(20_000);
    expect(page.url()).toBe(address);
    expect(await page.getByText('fit').count()).toBe(0);
    // The same is shown to a browser that comes back later with its cookie.
    await page.reload();
    await expired.waitFor();
    await showInBothThemes(page, 'expired');
    await page.getByLabel('Token').fill(tokens.vera!);
    await page.keyboard.press('Enter');
    await page.getByText('vera (viewer)').waitFor();
    await page.getByRole('link', { name: 'fit', exact: true }).first().waitFor();
    expect(page.url()).toBe(address);
    expectQuiet(page, /401/);
  });

  test('the API says it of every workflow and request, as the gate would', async () => {
    const mayChange = async (name: string) => {
      world.actAs(tokens[name]!);
      const { items } = (await world.ask('GET', '/overview')) as { items: WorkflowSummary[] };
      const requests = (await world.ask('GET', '/requests')) as { items: RequestSummary[] };
      return Object.fromEntries([
        ...items
          .filter(({ workflow }) => [grouped, open].includes(workflow.id))
          .map(({ workflow }) => [workflow.name, workflow.may_change]),
        ...requests.items.map(({ request_name, may_change }) => [request_name, may_change]),
      ]);
    };
    const all = { 'night-reduction': true, 'flat-fields': true, 'calibration-2026': true };
    expect(await mayChange('ann')).toEqual(all);
    expect(await mayChange('bob')).toEqual({ ...all, 'flat-fields': false, 'calibration-2026': false });
    expect(await mayChange('otto')).toEqual({ 'flat-fields': false, 'calibration-2026': false });
    expect(await mayChange('vera')).toEqual({ 'flat-fields': false, 'calibration-2026': false });
    world.actAs(tokens.ann!);
  });
}
