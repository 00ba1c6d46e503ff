import { expect, test } from 'vitest';
import { showInBothThemes } from './both-themes.ts';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { HOSTILE_NAME } from './specs.ts';
import { screenshot, type WebWorld } from './web-world.ts';

const spec = (command: string) => `name: monthly-figures
jobs:
  - name: extract_{month}
    parameters: { month: "1:12" }
    command: "true"
  - name: combine
    depends_on_regexes: ["extract_.*"]
    command: ${command}
  - name: publish
    depends_on: [combine]
    command: "true"
`;

/** Specs in the browser: checked, planned, run, and edited. */
export function specBehaviour(world: WebWorld): void {
  test.each([{ dark: false }, { dark: true }])(
    'a spec is checked while it is written, shown as a plan, and run, with %j',
    async (look) => {
      const theme = look.dark ? 'dark' : 'light';
      const page = await openPage(look);
      await page.goto(world.url('/'));
      await page.getByRole('banner').getByRole('link', { name: 'New' }).click();
      const run = page.getByRole('button', { name: 'Run' });
      expect(await run.isDisabled()).toBe(true);
      const field = page.getByRole('textbox', { name: 'Spec' });
      await field.fill(spec('"true"').replace('depends_on: [combine]', 'needs: [combine]'));
      await page.getByText('spec.yaml has 1 mistake').waitFor();
      const mistake = page.getByRole('list', { name: 'Mistakes' }).getByRole('button');
      expect(await mistake.textContent()).toMatch(/line 10:\d+.*unknown key "needs"/);
      await mistake.click();
      expect(
        await field.evaluate(
          (area: HTMLTextAreaElement) => area.value.slice(0, area.selectionStart).split('\n').length,
        ),
      ).toBe(10);
      await screenshot(page, `new-mistake-${theme}`);
      await expectAccessible(page);
      expect(await run.isDisabled()).toBe(true);

      await page.locator('input[type=file]').setInputFiles({
        name: 'figures.yaml',
        mimeType: 'text/yaml',
        buffer: Buffer.from(spec('"true"')),
      });
      await page.getByText('figures.yaml is valid').waitFor();
      await page.getByRole('heading', { name: 'Plan: monthly-figures, 14 jobs' }).waitFor();
      await page.getByRole('list', { name: 'Plan' }).getByText('after extract_*').waitFor();
      await screenshot(page, `new-${theme}`);
      await expectAccessible(page);
      await page.getByLabel('Directory').fill(world.project.dir);
      await run.click();
      await page.getByText('14 completed').first().waitFor();
      expectQuiet(page);
    },
  );

  test('a failure of a job is simulated with the policy of the spec', async () => {
    const page = await openPage();
    await page.goto(world.url('/new'));
    await page.getByRole('textbox', { name: 'Spec' }).fill(`name: nightly
failure_handlers:
  - name: storage
    rules:
      - { stderr: "disk full", max_retries: 3, delay: 30s }
      - { exit_codes: [9], category: data }
jobs:
  - name: fetch
    command: "true"
    failure_handler: storage
  - name: load_{part}
    parameters: { part: "1:3" }
    depends_on: [fetch]
    command: "true"
`);
    await page.getByRole('heading', { name: 'Simulate a failure' }).waitFor();
    const simulate = page.getByRole('button', { name: 'Simulate' });
    await page.getByLabel('Line on stderr').fill('cp: disk full, <b>giving up</b>');
    await page.getByLabel('Times').fill('3');
    await simulate.click();
    const executions = page.getByRole('list', { name: 'Executions' }).getByRole('listitem');
    await page.getByText('Failed after 3 executions').waitFor();
    expect(await executions.allTextContents()).toEqual([
      expect.stringMatching(/^Execution 1.*retry.*rule handler; execution 2 at /),
      expect.stringMatching(/^Execution 2.*retry.*rule handler; execution 3 at /),
      expect.stringMatching(/^Execution 3.*failed.*; ends/),
    ]);
    await showInBothThemes(page, 'simulate', 'whole');

    await page.getByLabel('Ends with').fill('9');
    await page.getByLabel('Line on stderr').fill('');
    await simulate.click();
    await page.getByText('Failed after 1 execution').waitFor();
    await executions.first().getByText('data', { exact: true }).waitFor();
    await page.getByLabel('Job', { exact: true }).selectOption({ label: 'load_* (3 jobs)' });
    await page.getByLabel('Ends with').fill('sideways');
    await simulate.click();
    await page.getByRole('alert').getByText('sideways is no outcome').waitFor();
    expectQuiet(page, /status of 422/);
  });

  test('an edited spec shows what would run again and why, before it is applied', async () => {
    const workflow = await world.run(
      {
        name: 'monthly-figures',
        jobs: [
          { name: 'extract_{month}', parameters: { month: '1:12' }, command: 'true' },
          { name: 'combine', depends_on_regexes: ['extract_.*'], command: 'true' },
          { name: 'publish', depends_on: ['combine'], command: 'true' },
        ],
      },
      ({ complete }) => complete,
    );
    const page = await openPage();
    await page.goto(world.url(`/workflows/${workflow}`));
    await page.getByRole('button', { name: 'Update' }).click();
    const field = page.getByRole('textbox', { name: 'Spec' });
    await field.fill(spec('"true"'));
    await page.getByText('Nothing is left to do.').waitFor();
    expect(await page.getByRole('button', { name: 'Apply' }).count()).toBe(0);
    await field.fill(spec('echo combined'));
    await page.getByText('2 run again; 12 stay as they are.').waitFor();
    const jobs = page.getByRole('list', { name: 'Jobs of the plan' });
    await jobs.getByText('its command changed').waitFor();
    await jobs.getByText('combine runs again').waitFor();
    await page.getByRole('button', { name: 'Apply' }).waitFor();
    await showInBothThemes(page, 'update', 'whole');
    expect((await world.status(workflow)).workflow.run_id).toBe(1);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('run 2').waitFor();
    await world.until(workflow, ({ complete, workflow: { run_id } }) => complete && run_id === 2);
    expectQuiet(page);
  });

  test('a spec that tries to be markup is shown as it is', async () => {
    const page = await openPage({ phone: true });
    await page.goto(world.url('/new'));
    await page
      .getByRole('textbox', { name: 'Spec' })
      .fill(JSON.stringify({ name: HOSTILE_NAME, [HOSTILE_NAME]: 1, jobs: [] }));
    await page.getByRole('list', { name: 'Mistakes' }).getByText('<img src=x').first().waitFor();
    await page
      .getByRole('textbox', { name: 'Spec' })
      .fill(JSON.stringify({ name: HOSTILE_NAME, jobs: [{ name: HOSTILE_NAME, command: 'true' }] }));
    await page.getByRole('list', { name: 'Plan' }).getByText('<img src=x').waitFor();
    expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
    expect(await page.locator('#app img, #app script').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    expectQuiet(page);
  });
}
