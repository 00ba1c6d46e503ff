import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { makeProject, runCli } from '../cli/run-cli.ts';
import { expectAccessible, expectQuiet, openPage } from './browser.ts';
import { HOSTILE, HOSTILE_NAME } from './specs.ts';
import { screenshot } from './web-world.ts';

const SPEC = {
  name: 'survey-reduction',
  description: 'Reduces the images of one night.',
  user: 'ada',
  resource_requirements: [{ name: 'large', memory: '4g', runtime: 'PT30S', num_cpus: 1 }],
  jobs: [
    { name: 'flatten_{i}', parameters: { i: '1:8' }, resource_requirements: 'large', command: 'sleep 0.{i}' },
    {
      name: 'astrometry_{i}',
      parameters: { i: '1:3' },
      depends_on: ['flatten_1'],
      command: 'echo "no catalogue for field {i}, token $API_TOKEN" >&2; exit 4',
      env: { API_TOKEN: 'tok-s3cr3t-0815' },
    },
    { name: 'stack', depends_on_regexes: ['astrometry_.*'], command: 'true' },
  ],
  retry_defaults: { max_retries_failure: 0 },
};

/** A report from a file, as from a mail: no server is there. */
export function reportBehaviour(): void {
  let directory: string;
  const open = (name: string) => pathToFileURL(join(directory, name)).href;

  beforeAll(async () => {
    directory = makeProject({ 'w.yaml': JSON.stringify(SPEC), 'hostile.yaml': JSON.stringify(HOSTILE) });
    const options = { cwd: directory };
    const run = await runCli(['run', 'w.yaml', '--report', 'report.html'], options);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('report: report.html')]);
    await runCli(['run', 'hostile.yaml', '--report', 'hostile.html'], options);
  });

  test.each([{ dark: false }, { dark: true }])(
    'says everything with %j, asks for nothing, and is accessible',
    async (look) => {
      const page = await openPage(look);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(open('report.html'));
      await page.getByRole('heading', { name: 'survey-reduction', exact: true }).waitFor();
      expect(await page.getByText('no catalogue for field 3').count()).toBe(1);
      for (const text of ['3 jobs, such as astrometry_3', 'flatten_*', /is enough/, /no retry applies/])
        expect(await page.getByText(text).count(), String(text)).toBeGreaterThan(0);
      expect(await page.locator('svg rect').count()).toBeGreaterThan(11);
      await screenshot(page, `report-${look.dark ? 'dark' : 'light'}`);
      await page.getByText('Rules for attempt 1').click();
      await page.getByRole('cell', { name: 'it did not succeed' }).waitFor();
      await expectAccessible(page);
      expectQuiet(page);
      expect(asked).toEqual([open('report.html')]);
      expect(readFileSync(join(directory, 'report.html'), 'utf8')).not.toContain('s3cr3t');
    },
  );

  test('of hostile names and logs is text, on a phone too', async () => {
    const page = await openPage({ phone: true });
    await page.goto(open('hostile.html'));
    await page.getByRole('heading', { name: HOSTILE_NAME, exact: true }).waitFor();
    expect(await page.locator('img, script, a').count()).toBe(0);
    expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
    // The page does not scroll sideways; wide tables do by themselves.
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isWide).toBe(false);
    await expectAccessible(page);
    expectQuiet(page);
  });
}
