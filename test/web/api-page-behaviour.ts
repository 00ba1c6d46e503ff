import { expect, test } from 'vitest';
import { showInBothThemes } from './both-themes.ts';
import { expectQuiet, openPage } from './browser.ts';
import type { WebWorld } from './web-world.ts';

/** The page of the API, on which every operation can be tried. */
export function apiPageBehaviour(world: WebWorld): void {
  test('lists the operations, sends what is filled in, and shows answers as text', async () => {
    const page = await openPage({ dark: true });
    await page.goto(world.url('/api/v1/docs'));
    await page.getByLabel('Find').fill('post /api/v1/workflows');
    const operation = page.locator('details.operation:visible').first();
    await operation.locator('summary').click();
    const name = '<img src=x onerror=alert(1)>';
    const spec = { name, jobs: [{ name: 'a', command: 'true' }] };
    await operation.getByLabel('Body').fill(JSON.stringify({ spec }));
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText(/^201 /).waitFor();
    const answer = JSON.parse((await operation.getByLabel('Answer').textContent()) ?? '') as {
      id: number;
      name: string;
    };
    expect(answer.name).toBe(name);
    await operation.locator('summary').evaluate((summary) => summary.scrollIntoView());
    await showInBothThemes(page, 'api');

    await page.getByLabel('Find').fill('get /api/v1/workflows/{workflow_id} ');
    const one = page.locator('details.operation:visible').first();
    await one.locator('summary').click();
    await one.getByRole('button', { name: 'Send' }).click();
    await one.getByText('workflow_id is required').waitFor();
    await one.getByLabel('workflow_id').fill(String(answer.id));
    await one.getByRole('button', { name: 'Send' }).click();
    await one.getByText(/^200 /).waitFor();
    expect(await one.getByLabel('Answer').textContent()).toContain(name);
    expect(await page.locator('img').count()).toBe(0);
    expectQuiet(page);
  });

  test('sends the token that is typed in', async () => {
    const page = await openPage();
    await page.goto(world.url('/api/v1/docs'));
    await page.getByLabel('Token').fill('s3cret');
    const sent = page.waitForRequest(/\/healthz$/);
    await page.getByLabel('Find').fill('get /healthz');
    const operation = page.locator('details.operation:visible').first();
    await operation.locator('summary').click();
    await operation.getByRole('button', { name: 'Send' }).click();
    expect((await sent).headers().authorization).toBe('Bearer s3cret');
    await operation.getByText(/^200 /).waitFor();
    expectQuiet(page);
  });
}
